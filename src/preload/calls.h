// SPDX-License-Identifier: Apache-2.0
// The ways of a call: as libc makes it, as a fiber, or at home.
#pragma once

#include <sys/socket.h>

#include <cerrno>
#include <type_traits>

#include "fiber/fiber.h"
#include "preload/interrupts.h"
#include "preload/thread_state.h"
#include "sched/thread.h"

namespace weft::preload {

// Whether the caller is a fiber that is away from home, or about to be.
inline bool is_fiber() noexcept {
  const fiber::Fiber* const self = fiber::this_fiber;
  return self != nullptr && sched::counts_as_away(*self);
}

// Minus errno becomes -1 and errno.
template <class Result>
Result answer(long result) noexcept {
  if (result >= 0) return static_cast<Result>(result);
  errno = static_cast<int>(-result);
  return Result{-1};
}

// Whether a call goes on after a handler that says SA_RESTART (signal(7) tells which).
enum class Restarts : bool { no, yes };

// The same for calls of sockets, which do not where they have a time-out; asked when it matters.
struct SocketRestarts {
  int descriptor;
  int option;                          // SO_RCVTIMEO, SO_SNDTIMEO
  operator Restarts() const noexcept;  // NOLINT
};

template <class Restarting>
bool goes_on(AfterInterrupt after, Restarting restarts) noexcept {
  if (after == AfterInterrupt::restart) return restarts == Restarts::yes;
  return after == AfterInterrupt::again;
}

// A call that may block: `ours` answers a result or minus errno, and -EINTR where somebody wants
// something of the fiber meanwhile.
template <class Ours, class Libcs, class Restarting = Restarts>
auto blocking_call(Ours ours, Libcs libcs, Restarting restarts = Restarts::yes)
    -> decltype(libcs()) {
  using Result = decltype(libcs());
  if (!is_fiber()) return libcs();
  act_on_cancellation();
  for (;;) {
    const long result = ours();
    if (result != -EINTR) return answer<Result>(result);
    const AfterInterrupt after = act_on_interrupts();
    if (!goes_on(after, restarts)) return answer<Result>(result);
    if (!is_fiber()) return libcs();  // it has come home for good
  }
}

// As home_call(), for what is no cancellation point: it is made also by who is to be cancelled.
template <class Libcs>
auto uncancelled_home_call(const char* site, Libcs libcs) -> decltype(libcs()) {
  if (!is_fiber()) return libcs();
  return sched::at_home(site, [&] {
    const SignalBits before = open_to_signals();
    if constexpr (std::is_void_v<decltype(libcs())>) {
      libcs();
      close_to_signals(before);
    } else {
      const auto result = libcs();
      close_to_signals(before);
      return result;
    }
  });
}

// A call that only the thread's own kernel thread can make, as if we were not there.
template <class Libcs>
auto home_call(const char* site, Libcs libcs) -> decltype(libcs()) {
  if (is_fiber()) act_on_cancellation();
  return uncancelled_home_call(site, libcs);
}

// The same as blocking_call(), for calls that write: the kernel thread gets no SIGPIPE, as it has
// it blocked, or asked for none; the fiber does, unless the flags of a socket's call say otherwise.
template <class Ours, class Libcs, class Restarting = Restarts>
auto writing_call(Ours ours, Libcs libcs, int flags = 0, Restarting restarts = Restarts::yes)
    -> decltype(libcs()) {
  if (!is_fiber()) return libcs();
  const auto result = blocking_call(ours, libcs, restarts);
  if (result < 0 && errno == EPIPE && (flags & MSG_NOSIGNAL) == 0) {
    raise_broken_pipe();
    errno = EPIPE;
  }
  return result;
}

// A call that waits with another signal mask, which it gives to the kernel itself.
template <class Libcs>
auto masked_call(const char* site, const sigset_t* mask, Libcs libcs) -> decltype(libcs()) {
  if (!is_fiber() || mask == nullptr) return home_call(site, libcs);
  return home_call(site, [&]() -> decltype(libcs()) {
    const SignalBits before = exchange_program_mask(bits_of(*mask));
    thread_state.mask_after_wait = before;
    thread_state.waits_with_mask = true;
    const bool interrupted = run_handlers().any;
    thread_state.waits_with_mask = false;
    const auto result = interrupted ? answer<decltype(libcs())>(-EINTR) : libcs();
    exchange_program_mask(before);
    return result;
  });
}

}  // namespace weft::preload
