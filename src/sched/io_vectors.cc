// SPDX-License-Identifier: Apache-2.0
// Vectors of buffers, and messages, each in a form that cannot block.
#include <sys/syscall.h>

#include <algorithm>
#include <climits>

#include "os/socket_option.h"
#include "os/system_call.h"
#include "sched/files.h"
#include "sched/io.h"
#include "sched/rest_of_vector.h"
#include "sched/transfers.h"

namespace weft::sched {
namespace {

// As for one buffer: a file gave what is in the cache, and a read that blocks goes on to its end.
long read_rest_of_file(int descriptor, RestOfVector& rest) {
  long done = 0;
  while (rest.count() != 0) {
    long result = transfer_now(SYS_preadv2, descriptor, rest.vectors(), rest.count(), own_position);
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
    const long moved = transfer_now(SYS_preadv2, descriptor, vectors, count, own_position);
    if (moved != -EOPNOTSUPP || is_on_disk(descriptor)) return moved;
    return read_if_ready(descriptor, take);
  });
  if (result <= 0) return result;
  RestOfVector rest(vectors, count);
  const fiber::Fiber& self = fiber::self();
  if (static_cast<std::size_t>(result) >= rest.bytes() || self.is_home() ||
      !self.runtime->poller().is_file_on_disk(descriptor)) {
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
      const long moved =
          transfer_now(SYS_pwritev2, descriptor, rest.vectors(), rest.count(), own_position);
      if (moved != -EOPNOTSUPP) return moved;
      if (is_on_disk(descriptor)) {
        return write_to_cache(descriptor, rest.vectors(), rest.count()).value_or(moved);
      }
      if (!is_ready_now(descriptor, POLLOUT)) return long{-EAGAIN};
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

}  // namespace weft::sched
