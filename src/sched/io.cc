// SPDX-License-Identifier: Apache-2.0
// Each call, in a form that cannot block.
#include "sched/io.h"

#include <asm/ioctls.h>
#include <asm/termbits.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>

#include <algorithm>
#include <climits>
#include <memory>
#include <utility>

#include "os/poll_now.h"
#include "os/socket_option.h"
#include "os/system_call.h"
#include "sched/files.h"
#include "sched/interrupt.h"

namespace weft::sched {
namespace {

// Whether the call could be made now without blocking; asked of what knows no other way.
bool is_ready(int descriptor, short events) {
  pollfd wanted{.fd = descriptor, .events = events, .revents = 0};
  return os::poll_now(&wanted, 1) > 0;
}

// Files of a disk: a read of them is short at their end only, and they are always ready to poll.
bool is_file(int descriptor) {
  struct stat status {};
  return os::call(SYS_fstat, descriptor, &status) == 0 &&
         (S_ISREG(status.st_mode) || S_ISBLK(status.st_mode));
}

// A transfer at the file's own position (-1) or at an offset.
long transfer_vector_without_blocking(long number, int descriptor, const iovec* vectors,
                                      std::size_t count, off_t offset) {
  constexpr long nowait = 0x8;  // RWF_NOWAIT
  return os::call(number, descriptor, vectors, count, offset, offset < 0 ? -1L : 0L, nowait);
}

long transfer_without_blocking(long number, int descriptor, const void* data, std::size_t bytes,
                               off_t offset) {
  const iovec vector{const_cast<void*>(data), bytes};
  return transfer_vector_without_blocking(number, descriptor, &vector, 1, offset);
}

bool has_nonblock(int descriptor) {
  const long flags = os::call(SYS_fcntl, descriptor, F_GETFL);
  return flags >= 0 && (flags & O_NONBLOCK) != 0;
}

// Whether a read of a raw terminal ends when some time is over (VTIME), which poll knows nothing
// of: such a one blocks, at home, and never for long.
bool ends_by_time(int descriptor, bool is_ready) {
  termios settings{};
  if (os::call(SYS_ioctl, descriptor, TCGETS, &settings) != 0) return false;
  if ((settings.c_lflag & ICANON) != 0) return false;
  return settings.c_cc[VMIN] == 0 || (is_ready && settings.c_cc[VTIME] != 0);
}

// A file gave what is in the cache; a read that blocks goes on to its end. Answers how much more.
long read_rest_of_file(int descriptor, std::byte* data, std::size_t bytes) {
  fiber::Fiber& self = fiber::self();
  if (self.is_home() || self.runtime->poller().is_registered(descriptor) || !is_file(descriptor)) {
    return 0;
  }
  std::size_t done = 0;
  while (done < bytes) {
    std::byte* const to = data + done;
    long result = transfer_without_blocking(SYS_preadv2, descriptor, to, bytes - done, -1);
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

// What a call that goes on until all is done answers when it ends before.
long done_or(std::size_t done, long result) {
  return done != 0 ? static_cast<long>(done) : result;
}

}  // namespace

std::optional<os::Instant> Request::may_wait_until(Poller& poller, const Edge& before) noexcept {
  if (!waits_) return std::nullopt;
  if (before.patient || std::exchange(asked_the_file_, true)) return deadline_;
  const std::uint32_t epoch = Poller::epoch();
  if (has_nonblock(descriptor_)) return std::nullopt;
  timeval limit{};
  unsigned limit_bytes = sizeof(limit);
  const int option = direction_ == Direction::read ? SO_RCVTIMEO : SO_SNDTIMEO;
  constexpr std::int64_t most_seconds = 1'000'000'000;  // more would overflow, and is for ever
  if (os::call(SYS_getsockopt, descriptor_, SOL_SOCKET, option, &limit, &limit_bytes) == 0 &&
      (limit.tv_sec != 0 || limit.tv_usec != 0) && limit.tv_sec < most_seconds) {
    const auto allowed =
        std::chrono::seconds{limit.tv_sec} + std::chrono::microseconds{limit.tv_usec};
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
    const long moved = transfer_without_blocking(SYS_preadv2, descriptor, buffer, bytes, -1);
    if (moved != -EOPNOTSUPP || is_file(descriptor)) return moved;
    const bool ready = is_ready(descriptor, POLLIN);
    if (ends_by_time(descriptor, ready)) return long{-EOPNOTSUPP};
    // A FIFO that nobody writes to is at its end, and not ready.
    return ready || has_nonblock(descriptor) ? take() : long{-EAGAIN};
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
      const long moved = transfer_without_blocking(SYS_pwritev2, descriptor, rest, rest_bytes, -1);
      if (moved != -EOPNOTSUPP) return moved;
      if (is_file(descriptor)) {
        const iovec vector{const_cast<std::byte*>(rest), rest_bytes};
        return write_to_cache(descriptor, &vector, 1).value_or(moved);
      }
      if (!is_ready(descriptor, POLLOUT)) return long{-EAGAIN};
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
        is_ready(descriptor, POLLIN) || os::socket_option(descriptor, SO_ACCEPTCONN) == 0;
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

namespace {

// What is left of a vector, which is the program's own until a part of it has been transferred.
class RestOfVector {
 public:
  RestOfVector(const iovec* vectors, std::size_t count) noexcept
      : vectors_(vectors), count_(count) {}
  RestOfVector(const RestOfVector&) = delete;
  RestOfVector& operator=(const RestOfVector&) = delete;

  const iovec* vectors() const noexcept { return vectors_; }
  std::size_t count() const noexcept { return count_; }
  std::size_t bytes() const noexcept {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < count_; ++i) sum += vectors_[i].iov_len;
    return sum;
  }

  // So many bytes of it are done.
  void advance(std::size_t bytes) {
    iovec* next = own();
    while (count_ > 0 && bytes >= next->iov_len) {
      bytes -= next->iov_len;
      ++next;
      --count_;
    }
    if (bytes != 0) {
      next->iov_base = static_cast<std::byte*>(next->iov_base) + bytes;
      next->iov_len -= bytes;
    }
    vectors_ = next;
  }

  // Keeps no more than so many bytes.
  void limit(std::size_t bytes) {
    iovec* const first = own();
    std::size_t kept = 0;
    for (; kept < count_ && bytes != 0; ++kept) {
      first[kept].iov_len = std::min(first[kept].iov_len, bytes);
      bytes -= first[kept].iov_len;
    }
    count_ = kept;
  }

 private:
  static constexpr std::size_t most_on_stack = 16;

  iovec* own() {
    if (copy_ == nullptr) {
      if (count_ > most_on_stack) many_ = std::make_unique<iovec[]>(count_);
      copy_ = count_ > most_on_stack ? many_.get() : few_;
      std::copy_n(vectors_, count_, copy_);
      vectors_ = copy_;
    }
    return copy_ + (vectors_ - copy_);
  }

  const iovec* vectors_;
  std::size_t count_;
  iovec few_[most_on_stack];
  std::unique_ptr<iovec[]> many_;
  iovec* copy_ = nullptr;
};

// As read_rest_of_file().
long read_rest_of_file(int descriptor, RestOfVector& rest) {
  long done = 0;
  while (rest.count() != 0) {
    long result =
        transfer_vector_without_blocking(SYS_preadv2, descriptor, rest.vectors(), rest.count(), -1);
    if (result == -EAGAIN) {
      result = at_home(
          "file", [&] { return os::call(SYS_readv, descriptor, rest.vectors(), rest.count()); });
    }
    if (result <= 0) break;
    done += result;
    rest.advance(static_cast<std::size_t>(result));
  }
  return done;
}

}  // namespace

long read_vector(int descriptor, const iovec* vectors, std::size_t count) {
  Request request(descriptor, Direction::read);
  const long result = when_ready(request, 0, [&](Attempt attempt) {
    const auto take = [&] { return os::call(SYS_readv, descriptor, vectors, count); };
    if (attempt == Attempt::blocking) return take();
    const long moved =
        transfer_vector_without_blocking(SYS_preadv2, descriptor, vectors, count, -1);
    if (moved != -EOPNOTSUPP || is_file(descriptor)) return moved;
    const bool ready = is_ready(descriptor, POLLIN);
    if (ends_by_time(descriptor, ready)) return long{-EOPNOTSUPP};
    return ready || has_nonblock(descriptor) ? take() : long{-EAGAIN};  // as read() does
  });
  if (result <= 0) return result;
  RestOfVector rest(vectors, count);
  const fiber::Fiber& self = fiber::self();
  if (static_cast<std::size_t>(result) >= rest.bytes() || self.is_home() ||
      self.runtime->poller().is_registered(descriptor) || !is_file(descriptor)) {
    return result;
  }
  rest.advance(static_cast<std::size_t>(result));
  return result + read_rest_of_file(descriptor, rest);
}

long write_vector(int descriptor, const iovec* vectors, std::size_t count) {
  RestOfVector rest(vectors, count);
  Request request(descriptor, Direction::write);
  std::size_t written = 0;
  for (;;) {
    const long result = when_ready(request, 0, [&](Attempt attempt) {
      if (attempt == Attempt::blocking) {
        return os::call(SYS_writev, descriptor, rest.vectors(), rest.count());
      }
      const long moved = transfer_vector_without_blocking(SYS_pwritev2, descriptor, rest.vectors(),
                                                          rest.count(), -1);
      if (moved != -EOPNOTSUPP) return moved;
      if (is_file(descriptor)) {
        return write_to_cache(descriptor, rest.vectors(), rest.count()).value_or(moved);
      }
      if (!is_ready(descriptor, POLLOUT)) return long{-EAGAIN};
      RestOfVector first(rest.vectors(), rest.count());
      first.limit(PIPE_BUF);  // as write() does
      return os::call(SYS_writev, descriptor, first.vectors(), first.count());
    });
    if (result < 0) return done_or(written, result);
    written += static_cast<std::size_t>(result);
    if (result == 0 || static_cast<std::size_t>(result) >= rest.bytes()) {
      return static_cast<long>(written);
    }
    rest.advance(static_cast<std::size_t>(result));
  }
}

namespace {

// The rest of a message to or from a stream, of which the first part is done; what comes along has
// gone with that. Answers how much it was in all.
template <class Transfer>
long transfer_rest(const msghdr& message, long done, Transfer transfer) {
  RestOfVector rest(message.msg_iov, message.msg_iovlen);
  std::size_t left = rest.bytes() - static_cast<std::size_t>(done);
  if (left != 0) rest.advance(static_cast<std::size_t>(done));
  while (left != 0) {
    msghdr next{};
    next.msg_iov = const_cast<iovec*>(rest.vectors());
    next.msg_iovlen = rest.count();
    const long result = transfer(&next);
    if (result <= 0) break;
    done += result;
    left -= static_cast<std::size_t>(result);
    rest.advance(static_cast<std::size_t>(result));
  }
  return done;
}

}  // namespace

long send_message(int descriptor, const msghdr* message, int flags) {
  const auto give = [&](const msghdr* what) {
    return transfer_message(descriptor, Direction::write, flags,
                            [&](int how) { return os::call(SYS_sendmsg, descriptor, what, how); });
  };
  const long first = give(message);
  if (first <= 0 || (flags & MSG_DONTWAIT) != 0) return first;
  return transfer_rest(*message, first, give);
}

long receive_message(int descriptor, msghdr* message, int flags) {
  const auto take = [&](msghdr* what, int how) {
    return os::call(SYS_recvmsg, descriptor, what, how);
  };
  const bool waits_for_all = (flags & MSG_WAITALL) != 0 && (flags & MSG_OOB) == 0;
  if (waits_for_all && (flags & MSG_PEEK) != 0) {
    return at_home("recvmsg", [&] { return take(message, flags); });
  }
  const auto take_when_ready = [&](msghdr* what) {
    return transfer_message(descriptor, Direction::read, flags,
                            [&](int how) { return take(what, how); });
  };
  const long first = take_when_ready(message);
  if (first <= 0 || !waits_for_all || message->msg_controllen != 0 || fiber::self().is_home() ||
      os::socket_option(descriptor, SO_TYPE) != SOCK_STREAM) {
    return first;
  }
  return transfer_rest(*message, first, take_when_ready);
}

long send_messages(int descriptor, mmsghdr* messages, std::size_t count, int flags) {
  constexpr std::size_t most = 1024;  // as the kernel takes at once
  for (std::size_t sent = 0; sent < std::min(count, most); ++sent) {
    const long result = send_message(descriptor, &messages[sent].msg_hdr, flags);
    if (result < 0) return done_or(sent, result);
    messages[sent].msg_len = static_cast<unsigned>(result);
  }
  return static_cast<long>(std::min(count, most));
}

long receive_messages(int descriptor, mmsghdr* messages, std::size_t count, int flags,
                      os::Instant deadline) {
  std::size_t received = 0;
  for (;;) {
    const long result =
        transfer_message(descriptor, Direction::read, flags & ~MSG_WAITFORONE, [&](int how) {
          return os::call(SYS_recvmmsg, descriptor, messages + received, count - received, how,
                          nullptr);
        });
    if (result < 0) return done_or(received, result);
    received += static_cast<std::size_t>(result);
    const bool goes_on = result != 0 && received < count &&
                         (flags & (MSG_WAITFORONE | MSG_DONTWAIT)) == 0 &&
                         (deadline == os::never || os::MonotonicClock::now() < deadline);
    if (!goes_on) return static_cast<long>(received);
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
