// SPDX-License-Identifier: Apache-2.0
// Input and output for fibers: a call that would block stops the fiber, and never the carrier.
//
// The program's file flags are never changed. A call is tried in a form that cannot block; where it
// would have, the fiber waits for the poller and tries again. At home, and in threads that never
// leave it, the call is simply made.
// Every function answers a result or minus errno.
#pragma once

#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>

#include <asm/errno.h>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "fiber/fiber.h"
#include "os/clock.h"
#include "sched/park.h"
#include "sched/poller.h"
#include "sched/runtime.h"
#include "sched/thread.h"

namespace weft::sched {

// For calls that may not have to wait: lets others run if the monitor has asked for it. The caller
// is away from home.
inline void give_way(fiber::Fiber& self) noexcept {
  if (self.carried_by()->attention.load(std::memory_order_relaxed) != 0) yield();
}

// The same for calls whose other end may be somebody who waits for this very fiber, and answers at
// once: nobody else would have a turn, nor be asked whether there is anything for them.
inline void take_turns(fiber::Fiber& self) noexcept {
  constexpr std::uint32_t most_calls_in_turn = 16;
  Carrier& carrier = *self.carried_by();
  if (++carrier.calls_in_turn < most_calls_in_turn) return give_way(self);
  end_turn(self);
}

// How a call is tried.
enum class Attempt : std::uint8_t { without_blocking, blocking };

// One call of the program's. It may be tried and waited for more than once, always for the file
// that its number named at first, and in the time that the socket allows for all of it.
class Request {
 public:
  Request(int descriptor, Direction direction, os::Instant deadline = os::never) noexcept
      : descriptor_(descriptor), direction_(direction), deadline_(deadline) {}
  // With the flags of a socket's call.
  Request(int descriptor, Direction direction, os::Instant deadline, int flags) noexcept
      : descriptor_(descriptor),
        direction_(direction),
        waits_((flags & MSG_DONTWAIT) == 0),
        deadline_(deadline) {}

  int descriptor() const noexcept { return descriptor_; }
  Direction direction() const noexcept { return direction_; }

  // False: the number is another file's by now.
  bool keeps_to(const Edge& edge) noexcept {
    if (!generation_) generation_ = edge.generation;
    is_tcp_ = edge.tcp;
    return *generation_ == edge.generation;
  }
  // Nothing: not at all (O_NONBLOCK). Asks the file before the first wait only, as that costs
  // system calls: SO_RCVTIMEO, SO_SNDTIMEO.
  std::optional<os::Instant> may_wait_until(Poller& poller, const Edge& before) noexcept;
  bool is_tcp() const noexcept { return is_tcp_; }
  ReadBy read_by = ReadBy::call;

 private:
  const int descriptor_;
  const Direction direction_;
  const bool waits_ = true;
  os::Instant deadline_;
  bool asked_the_file_ = false;
  bool is_tcp_ = false;
  std::optional<std::uint32_t> generation_;
};

// Makes the call, which answers a result or minus errno: -EAGAIN where it would have to block, and
// -EOPNOTSUPP where it has no form that does not; waits in between. `bytes` is what it wants to
// read: a stream that gives less, or nothing, is drained. Answers -EAGAIN at the deadline, -EBADF
// where the descriptor is closed meanwhile, -EINTR where the fiber is interrupted.
template <class Call>
long when_ready(Request& request, std::size_t bytes, Call call) {
  fiber::Fiber& self = fiber::self();
  if (!be_away(self)) return call(Attempt::blocking);
  take_turns(self);
  const auto block_at_home = [&] {
    return at_home("file", [&] { return call(Attempt::blocking); });
  };
  Poller& poller = self.runtime->poller();
  for (;;) {
    const Edge before = poller.look(request.descriptor(), request.direction());
    if (!request.keeps_to(before)) return -EBADF;
    if (!before.drained) {
      const long result = call(Attempt::without_blocking);
      const bool got_less = result > 0 && static_cast<std::size_t>(result) < bytes;
      const bool got_none = result == -EAGAIN && bytes > 0;
      if (got_less || got_none) {
        poller.drained(request.descriptor(), before, got_none ? ReadBy::message : request.read_by);
      }
      if (result == -EOPNOTSUPP) return block_at_home();
      if (result != -EAGAIN) return result;
    }
    const auto until = request.may_wait_until(poller, before);
    if (!until) return -EAGAIN;
    switch (poller.wait(request.descriptor(), request.direction(), before, *until)) {
      case Waited::ready:
        continue;
      case Waited::timed_out:
        return -EAGAIN;
      case Waited::interrupted:
        return -EINTR;
      case Waited::closed:
        return -EBADF;
      case Waited::unpollable:
      case Waited::no_room:
        return block_at_home();
    }
  }
}

// One message of a socket, by a call that takes flags: call(flags).
template <class Call>
long transfer_message(int descriptor, Direction direction, int flags, Call call) {
  const int quiet = direction == Direction::write ? MSG_NOSIGNAL : 0;
  if ((flags & MSG_ERRQUEUE) != 0) return call(flags);  // never waits
  Request request(descriptor, direction, os::never, flags);
  return when_ready(request, 0, [&](Attempt attempt) {
    return call(attempt == Attempt::blocking ? flags : flags | MSG_DONTWAIT | quiet);
  });
}

long read(int descriptor, void* buffer, std::size_t bytes);
long write(int descriptor, const void* buffer, std::size_t bytes);
long receive(int descriptor, void* buffer, std::size_t bytes, int flags,
             os::Instant deadline = os::never);
long send(int descriptor, const void* buffer, std::size_t bytes, int flags,
          os::Instant deadline = os::never);
long accept(int descriptor, sockaddr* address, socklen_t* address_bytes, int flags,
            os::Instant deadline = os::never);
long connect(int descriptor, const sockaddr* address, socklen_t address_bytes);
// As poll(2), with a deadline.
long poll(pollfd* descriptors, std::size_t count, os::Instant deadline);
long close(int descriptor);
// As setsockopt(2). Time-outs that are set otherwise after somebody has waited are not noticed.
long set_option(int descriptor, int level, int option, const void* value, socklen_t value_bytes);
// Returns before the deadline only where the fiber is interrupted.
void sleep_until(os::Instant deadline) noexcept;

// The same for several buffers. The vector is the program's, and may be anywhere.
long read_vector(int descriptor, const iovec* vectors, std::size_t count);
long write_vector(int descriptor, const iovec* vectors, std::size_t count);
// As sendmsg(2): all of it, to a stream.
long send_message(int descriptor, const msghdr* message, int flags);
// As recvmsg(2): all of it, from a stream and with MSG_WAITALL.
long receive_message(int descriptor, msghdr* message, int flags);
// As sendmmsg(2) and recvmmsg(2), with a deadline that is looked at after each message.
long send_messages(int descriptor, mmsghdr* messages, std::size_t count, int flags);
long receive_messages(int descriptor, mmsghdr* messages, std::size_t count, int flags,
                      os::Instant deadline);
// As epoll_wait(2), with a deadline.
long wait_for_events(int descriptor, epoll_event* events, int most_events, os::Instant deadline);

}  // namespace weft::sched
