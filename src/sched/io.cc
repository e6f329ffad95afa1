// SPDX-License-Identifier: Apache-2.0
// Each call, in a form that cannot block.
#include "sched/io.h"

#include <sys/syscall.h>

#include "os/system_call.h"
#include "sched/park.h"

namespace weft::sched {
namespace {

// Whether the call could be made now without blocking; asked of what knows no other way.
bool is_ready(int descriptor, short events) {
  pollfd wanted{.fd = descriptor, .events = events, .revents = 0};
  const timespec at_once{};
  return os::call(SYS_ppoll, &wanted, 1, &at_once, nullptr, 0) != 0;
}

// A vectored transfer at the file's own position (-1) or at an offset.
long transfer_without_blocking(long number, int descriptor, const iovec& vector, off_t offset) {
  constexpr long nowait = 0x8;  // RWF_NOWAIT
  return os::call(number, descriptor, &vector, 1, offset, offset < 0 ? -1L : 0L, nowait);
}

}  // namespace

long read(int descriptor, void* buffer, std::size_t bytes) {
  const iovec vector{buffer, bytes};
  return when_ready(descriptor, Direction::read, os::never, bytes, [&](Attempt attempt) {
    if (attempt == Attempt::blocking) return os::call(SYS_read, descriptor, buffer, bytes);
    const long result = transfer_without_blocking(SYS_preadv2, descriptor, vector, -1);
    if (result != -EOPNOTSUPP) return result;
    if (!is_ready(descriptor, POLLIN)) return long{-EAGAIN};
    return os::call(SYS_read, descriptor, buffer, bytes);
  });
}

long write(int descriptor, const void* buffer, std::size_t bytes) {
  const auto* const data = static_cast<const std::byte*>(buffer);
  std::size_t written = 0;
  for (;;) {
    const iovec rest{const_cast<std::byte*>(data + written), bytes - written};
    const long result =
        when_ready(descriptor, Direction::write, os::never, rest.iov_len, [&](Attempt attempt) {
          if (attempt == Attempt::blocking) {
            return os::call(SYS_write, descriptor, rest.iov_base, rest.iov_len);
          }
          const long moved = transfer_without_blocking(SYS_pwritev2, descriptor, rest, -1);
          if (moved != -EOPNOTSUPP) return moved;
          if (!is_ready(descriptor, POLLOUT)) return long{-EAGAIN};
          return os::call(SYS_write, descriptor, rest.iov_base, rest.iov_len);
        });
    if (result < 0) return written != 0 ? static_cast<long>(written) : result;
    written += static_cast<std::size_t>(result);
    // A blocking write writes it all, to a socket or a pipe.
    if (written >= bytes || result == 0) return static_cast<long>(written);
  }
}

long receive(int descriptor, void* buffer, std::size_t bytes, int flags, os::Instant deadline) {
  const std::size_t drains = (flags & (MSG_PEEK | MSG_OOB | MSG_WAITALL)) == 0 ? bytes : 0;
  return when_ready(descriptor, Direction::read, deadline, drains, [&](Attempt attempt) {
    const int how = attempt == Attempt::blocking ? flags : flags | MSG_DONTWAIT;
    return os::call(SYS_recvfrom, descriptor, buffer, bytes, how, nullptr, nullptr);
  });
}

long send(int descriptor, const void* buffer, std::size_t bytes, int flags, os::Instant deadline) {
  const auto* const data = static_cast<const std::byte*>(buffer);
  std::size_t sent = 0;
  for (;;) {
    const long result =
        when_ready(descriptor, Direction::write, deadline, bytes - sent, [&](Attempt attempt) {
          const int how = attempt == Attempt::blocking ? flags : flags | MSG_DONTWAIT;
          return os::call(SYS_sendto, descriptor, data + sent, bytes - sent, how, nullptr, 0);
        });
    if (result < 0) return sent != 0 ? static_cast<long>(sent) : result;
    sent += static_cast<std::size_t>(result);
    if (sent >= bytes || result == 0) return static_cast<long>(sent);
  }
}

long accept(int descriptor, sockaddr* address, socklen_t* address_bytes, int flags,
            os::Instant deadline) {
  return when_ready(descriptor, Direction::read, deadline, 0, [&](Attempt attempt) {
    const auto take = [&] {
      return os::call(SYS_accept4, descriptor, address, address_bytes, flags);
    };
    if (attempt == Attempt::blocking) return take();
    Poller& poller = fiber::self().runtime->poller();
    if (!poller.begin_taking(descriptor)) return long{-EAGAIN};
    const long result = is_ready(descriptor, POLLIN) ? take() : long{-EAGAIN};
    poller.end_taking(descriptor, result != -EAGAIN);
    return result;
  });
}

long connect(int descriptor, const sockaddr* address, socklen_t address_bytes) {
  return at_home("connect",
                 [&] { return os::call(SYS_connect, descriptor, address, address_bytes); });
}

long close(int descriptor) {
  fiber::Fiber& self = fiber::self();
  if (self.runtime == nullptr) return os::call(SYS_close, descriptor);
  Poller& poller = self.runtime->poller();
  poller.begin_close(descriptor);
  const long result = os::call(SYS_close, descriptor);
  poller.end_close(descriptor);
  return result;
}

long read_at(int descriptor, void* buffer, std::size_t bytes, off_t offset) {
  const iovec vector{buffer, bytes};
  if (be_away(fiber::self())) {
    const long result = transfer_without_blocking(SYS_preadv2, descriptor, vector, offset);
    if (result == static_cast<long>(bytes)) return result;
  }
  return at_home("pread", [&] { return os::call(SYS_pread64, descriptor, buffer, bytes, offset); });
}

long write_at(int descriptor, const void* buffer, std::size_t bytes, off_t offset) {
  return at_home("pwrite",
                 [&] { return os::call(SYS_pwrite64, descriptor, buffer, bytes, offset); });
}

long synchronize(int descriptor) {
  return at_home("fsync", [&] { return os::call(SYS_fsync, descriptor); });
}

void sleep_until(os::Instant deadline) noexcept {
  while (os::MonotonicClock::now() < deadline) park(fiber::ParkKind::sleep, nullptr, deadline);
}

}  // namespace weft::sched
