// SPDX-License-Identifier: Apache-2.0
// Each call, in a form that cannot block.
#include "sched/io.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/syscall.h>

#include <algorithm>
#include <climits>
#include <utility>

#include "os/socket_option.h"
#include "os/system_call.h"
#include "sched/files.h"
#include "sched/interrupt.h"
#include "sched/transfers.h"

namespace weft::sched {
namespace {

long transfer_buffer_now(long number, int descriptor, const void* data, std::size_t bytes) {
  const iovec vector{const_cast<void*>(data), bytes};
  return transfer_now(number, descriptor, &vector, 1, own_position);
}

// A file gave what is in the cache; a read that blocks goes on to its end. Answers how much more.
long read_rest_of_file(int descriptor, std::byte* data, std::size_t bytes) {
  fiber::Fiber& self = fiber::self();
  if (self.is_home() || !self.runtime->poller().is_file_on_disk(descriptor)) return 0;
  std::size_t done = 0;
  while (done < bytes) {
    std::byte* const to = data + done;
    long result = transfer_buffer_now(SYS_preadv2, descriptor, to, bytes - done);
    if (result == -EAGAIN) {
      result = at_home("file", [&] { return os::call(SYS_read, descriptor, to, bytes - done); });
    }
    if (result <= 0) break;
    done += static_cast<std::size_t>(result);
  }
  return static_cast<long>(done);
}

// Of either width of time.
bool is_timeout(int option) {
  return option == SO_RCVTIMEO_OLD || option == SO_SNDTIMEO_OLD || option == SO_RCVTIMEO_NEW ||
         option == SO_SNDTIMEO_NEW;
}

}  // namespace

std::optional<os::Instant> Request::may_wait_until(Poller& poller, const Edge& before) noexcept {
  if (!waits_) return std::nullopt;
  if (before.patient || std::exchange(asked_the_file_, true)) return deadline_;
  const std::uint32_t epoch = Poller::epoch();
  if (has_nonblock(descriptor_)) return std::nullopt;
  const int option = direction_ == Direction::read ? SO_RCVTIMEO : SO_SNDTIMEO;
  const auto allowed = os::socket_time_limit(descriptor_, option);
  if (allowed.count() != 0) {
    deadline_ = std::min(deadline_, os::MonotonicClock::now() + allowed);
  } else {
    poller.patient(descriptor_, direction_, before, epoch);
  }
  return deadline_;
}

long read(int descriptor, void* buffer, std::size_t bytes) {
  auto* const data = static_cast<std::byte*>(buffer);
  Request request(descriptor, Direction::read);
  const long result = when_ready(request, bytes, [&](Attempt attempt) {
    const auto take = [&] { return os::call(SYS_read, descriptor, buffer, bytes); };
    if (attempt == Attempt::blocking) return take();
    const long moved = transfer_buffer_now(SYS_preadv2, descriptor, buffer, bytes);
    if (moved != -EOPNOTSUPP || is_on_disk(descriptor)) return moved;
    return read_if_ready(descriptor, take);
  });
  if (result <= 0 || static_cast<std::size_t>(result) >= bytes) return result;
  return result +
         read_rest_of_file(descriptor, data + result, bytes - static_cast<std::size_t>(result));
}

long write(int descriptor, const void* buffer, std::size_t bytes) {
  const auto* const data = static_cast<const std::byte*>(buffer);
  Request request(descriptor, Direction::write);
  std::size_t written = 0;
  for (;;) {
    const long result = when_ready(request, 0, [&](Attempt attempt) {
      const std::byte* const rest = data + written;
      const std::size_t rest_bytes = bytes - written;
      if (attempt == Attempt::blocking) return os::call(SYS_write, descriptor, rest, rest_bytes);
      const long moved = transfer_buffer_now(SYS_pwritev2, descriptor, rest, rest_bytes);
      if (moved != -EOPNOTSUPP) return moved;
      if (is_on_disk(descriptor)) {
        const iovec vector{const_cast<std::byte*>(rest), rest_bytes};
        return write_to_cache(descriptor, &vector, 1).value_or(moved);
      }
      if (!is_ready_now(descriptor, POLLOUT)) return long{-EAGAIN};
      // A FIFO or a terminal: for more than that, it would block although it is ready.
      return os::call(SYS_write, descriptor, rest, std::min<std::size_t>(rest_bytes, PIPE_BUF));
    });
    if (result < 0) return done_or(written, result);
    written += static_cast<std::size_t>(result);
    // A blocking write writes it all, to a socket or a pipe.
    if (written >= bytes || result == 0) return static_cast<long>(written);
  }
}

long receive(int descriptor, void* buffer, std::size_t bytes, int flags, os::Instant deadline) {
  auto* const data = static_cast<std::byte*>(buffer);
  Request request(descriptor, Direction::read, deadline, flags);
  std::size_t received = 0;
  const auto take = [&](int how) {
    return os::call(SYS_recvfrom, descriptor, data + received, bytes - received, how, nullptr,
                    nullptr);
  };
  // As a message, which says whether something came along that ends it: of AF_UNIX.
  const auto take_at_once = [&] {
    if (request.is_tcp()) return take(flags | MSG_DONTWAIT);
    iovec vector{data + received, bytes - received};
    msghdr message{};
    message.msg_iov = &vector;
    message.msg_iovlen = 1;
    const long result = os::call(SYS_recvmsg, descriptor, &message, flags | MSG_DONTWAIT);
    const bool ends_early = (message.msg_flags & MSG_CTRUNC) != 0;
    request.read_by = ends_early ? ReadBy::call : ReadBy::message;
    return result;
  };
  if ((flags & MSG_ERRQUEUE) != 0) return take(flags);  // never waits
  // To look until all is there has no form that does not block.
  const bool peeks = (flags & MSG_PEEK) != 0;
  if (peeks && (flags & MSG_WAITALL) != 0) return at_home("recv", [&] { return take(flags); });

  const bool drains = !peeks && (flags & MSG_OOB) == 0;
  const bool waits_for_all = drains && (flags & MSG_WAITALL) != 0;
  for (;;) {
    const long result = when_ready(request, drains ? bytes - received : 0, [&](Attempt attempt) {
      return attempt == Attempt::blocking ? take(flags) : take_at_once();
    });
    if (result <= 0) return done_or(received, result);
    received += static_cast<std::size_t>(result);
    if (!waits_for_all || received >= bytes || fiber::self().is_home() ||
        os::socket_option(descriptor, SO_TYPE) != SOCK_STREAM) {
      return static_cast<long>(received);
    }
  }
}

long send(int descriptor, const void* buffer, std::size_t bytes, int flags, os::Instant deadline) {
  const auto* const data = static_cast<const std::byte*>(buffer);
  std::size_t sent = 0;
  const auto give = [&](Attempt attempt) {
    // The kernel signals a closed peer to the carrier, where SIGPIPE would stay pending for ever.
    const int how = attempt == Attempt::blocking ? flags : flags | MSG_DONTWAIT | MSG_NOSIGNAL;
    return os::call(SYS_sendto, descriptor, data + sent, bytes - sent, how, nullptr, 0);
  };
  Request request(descriptor, Direction::write, deadline, flags);
  for (;;) {
    const long result = when_ready(request, 0, give);
    if (result < 0) return done_or(sent, result);
    sent += static_cast<std::size_t>(result);
    if (sent >= bytes || result == 0) return static_cast<long>(sent);
  }
}

long accept(int descriptor, sockaddr* address, socklen_t* address_bytes, int flags,
            os::Instant deadline) {
  if ((flags & ~(SOCK_NONBLOCK | SOCK_CLOEXEC)) != 0) return -EINVAL;
  Request request(descriptor, Direction::read, deadline);
  return when_ready(request, 0, [&](Attempt attempt) {
    const auto take = [&] {
      return os::call(SYS_accept4, descriptor, address, address_bytes, flags);
    };
    if (attempt == Attempt::blocking) return take();
    Poller& poller = fiber::self().runtime->poller();
    const auto generation = poller.begin_taking(descriptor);
    if (!generation) return long{-EAGAIN};
    // What does not listen is never ready, and accept says at once what is wrong with it.
    const bool goes_through =
        is_ready_now(descriptor, POLLIN) || os::socket_option(descriptor, SO_ACCEPTCONN) == 0;
    const long result = goes_through ? take() : long{-EAGAIN};
    poller.end_taking(descriptor, *generation, result != -EAGAIN);
    return result;
  });
}

long connect(int descriptor, const sockaddr* address, socklen_t address_bytes) {
  return at_home("connect",
                 [&] { return os::call(SYS_connect, descriptor, address, address_bytes); });
}

long set_option(int descriptor, int level, int option, const void* value, socklen_t value_bytes) {
  const long result =
      os::call(SYS_setsockopt, descriptor, level, option, value, std::size_t{value_bytes});
  if (level == SOL_SOCKET && is_timeout(option)) Poller::limits_changed();
  if (level == IPPROTO_TCP && option == TCP_ULP) Poller::layered_everywhere(descriptor);
  return result;
}

long close(int descriptor) {
  Poller::begin_close_everywhere(descriptor);
  const long result = os::call(SYS_close, descriptor);
  Poller::end_close_everywhere(descriptor);
  return result;
}

void sleep_until(os::Instant deadline) noexcept {
  const fiber::Fiber& self = fiber::self();
  while (os::MonotonicClock::now() < deadline && !is_interrupted(self)) {
    park(fiber::ParkKind::sleep, nullptr, deadline);
  }
}

long wait_for_events(int descriptor, epoll_event* events, int most_events, os::Instant deadline) {
  fiber::Fiber& self = fiber::self();
  const auto wait = [&](int milliseconds) {
    return os::call(SYS_epoll_pwait, descriptor, events, most_events, milliseconds, nullptr, 0);
  };
  const auto wait_blocking = [&] {
    if (deadline == os::never) return wait(-1);
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - os::MonotonicClock::now());
    return wait(static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, INT_MAX)));
  };
  if (!be_away(self)) return wait_blocking();
  Poller& poller = self.runtime->poller();
  std::optional<std::uint32_t> generation;
  for (;;) {
    const Edge before = poller.look(descriptor, Direction::read);
    if (generation && *generation != before.generation) return -EBADF;
    generation = before.generation;
    const long result = wait(0);
    if (result != 0) return result;
    if (deadline != os::never && os::MonotonicClock::now() >= deadline) return 0;
    switch (poller.wait(descriptor, Direction::read, before, deadline)) {
      case Waited::ready:
        continue;
      case Waited::timed_out:
        return 0;
      case Waited::interrupted:
        return -EINTR;
      case Waited::closed:
        return -EBADF;
      case Waited::unpollable:
      case Waited::no_room:
        return at_home("epoll_wait", wait_blocking);
    }
  }
}

}  // namespace weft::sched
