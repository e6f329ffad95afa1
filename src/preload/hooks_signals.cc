// SPDX-License-Identifier: Apache-2.0
// Signals: handlers, masks, sending and waiting.
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "fiber/libc.h"
#include "os/signal_mask.h"
#include "os/system_call.h"
#include "preload/alternate_stack.h"
#include "preload/calls.h"
#include "preload/durations.h"
#include "preload/process.h"
#include "preload/real.h"
#include "preload/signal_actions.h"
#include "preload/signals.h"
#include "sched/park.h"

namespace weft::preload {
namespace {

// Whether the caller's mask is one that the kernel does not have.
bool mask_is_ours() {
  return thread_state.mask_is_ours;
}

// Answers 0 or an error.
int change_mask(int how, const sigset_t* set, sigset_t* before_set) {
  fiber::Fiber& self = fiber::self();
  const SignalBits before = self.signals.blocked.load(std::memory_order_relaxed);
  if (before_set != nullptr) {
    std::memset(before_set, 0, sizeof(*before_set));
    std::memcpy(before_set, &before, sizeof(before));
  }
  if (set == nullptr) return 0;
  // Nobody can block these, nor what libc needs for itself.
  constexpr SignalBits unblockable =
      bit_of(SIGKILL) | bit_of(SIGSTOP) | bit_of(32) | bit_of(33) | bit_of(os::own_signal);
  const SignalBits named = bits_of(*set) & ~unblockable;
  switch (how) {
    case SIG_BLOCK:
      set_blocked(self, before | named);
      break;
    case SIG_UNBLOCK:
      set_blocked(self, before & ~named);
      break;
    case SIG_SETMASK:
      set_blocked(self, named);
      break;
    default:
      return EINVAL;
  }
  mask_changed(before);
  return 0;
}

// Whether a signal for that process is the caller's own, whose handler has run when it is sent.
bool is_handled_here(pid_t process, int signal) {
  if (!mask_is_ours() || !is_signal(signal) || process != ::getpid() || !has_handler(signal)) {
    return false;
  }
  const auto blocked = fiber::self().signals.blocked.load(std::memory_order_relaxed);
  return (blocked & bit_of(signal)) == 0;
}

// As the C library's signal(): with flags.
sighandler_t set_handler(int signal, sighandler_t handler, int flags) {
  struct sigaction action {};
  struct sigaction before {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  return set_action(signal, &action, &before) == 0 ? before.sa_handler : SIG_ERR;
}

}  // namespace
}  // namespace weft::preload

using namespace weft;
using namespace weft::preload;

extern "C" {

int sigaction(int signal, const struct sigaction* action, struct sigaction* before) noexcept {
  return set_action(signal, action, before);
}

sighandler_t signal(int signal, sighandler_t handler) noexcept {
  return set_handler(signal, handler, SA_RESTART);
}

sighandler_t __sysv_signal(int signal, sighandler_t handler) noexcept {
  return set_handler(signal, handler, SA_RESETHAND | SA_NODEFER);
}

int pthread_sigmask(int how, const sigset_t* set, sigset_t* before) noexcept {
  return mask_is_ours() ? change_mask(how, set, before)
                        : WEFT_REAL(pthread_sigmask)(how, set, before);
}

int sigprocmask(int how, const sigset_t* set, sigset_t* before) noexcept {
  return mask_is_ours() ? answer<int>(-change_mask(how, set, before))
                        : WEFT_REAL(sigprocmask)(how, set, before);
}

// The first one that is the program's.
int __libc_current_sigrtmin() noexcept {
  return os::own_signal + 1;
}

int sigpending(sigset_t* set) noexcept {
  const int result = WEFT_REAL(sigpending)(set);
  if (result != 0 || !mask_is_ours()) return result;
  const auto& signals = fiber::self().signals;
  SignalBits bits = bits_of(*set) | signals.pending.load(std::memory_order_seq_cst);
  bits &= signals.blocked.load(std::memory_order_relaxed);
  std::memcpy(set, &bits, sizeof(bits));
  return 0;
}

int pthread_kill(pthread_t thread, int signal) noexcept {
  fiber::Fiber* const fiber = is_signal(signal) ? fiber_of_thread(thread) : nullptr;
  if (fiber == nullptr) return WEFT_REAL(pthread_kill)(thread, signal);
  const siginfo_t info = info_of_thread_signal(signal);
  if (fiber != fiber::this_fiber) return send_or_act(*fiber, signal, info);
  raise_here(signal, info);
  return 0;
}

int pthread_sigqueue(pthread_t thread, int signal, const sigval value) noexcept {
  fiber::Fiber* const fiber = is_signal(signal) ? fiber_of_thread(thread) : nullptr;
  if (fiber == nullptr) {
    return WEFT_REAL(pthread_sigqueue)(thread, signal, value);
  }
  siginfo_t info = info_of_thread_signal(signal);
  info.si_code = SI_QUEUE;
  info.si_value = value;
  if (fiber != fiber::this_fiber) return send_to(*fiber, signal, info);
  raise_here(signal, info);
  return 0;
}

int raise(int signal) noexcept {
  if (!mask_is_ours() || !is_signal(signal)) return WEFT_REAL(raise)(signal);
  return answer<int>(-pthread_kill(pthread_self(), signal));
}

int kill(pid_t process, int signal) noexcept {
  if (!is_handled_here(process, signal)) return WEFT_REAL(kill)(process, signal);
  siginfo_t info = info_of_thread_signal(signal);
  info.si_code = SI_USER;
  raise_here(signal, info);
  return 0;
}

int sigqueue(pid_t process, int signal, const sigval value) noexcept {
  if (!is_handled_here(process, signal)) return WEFT_REAL(sigqueue)(process, signal, value);
  siginfo_t info = info_of_thread_signal(signal);
  info.si_code = SI_QUEUE;
  info.si_value = value;
  raise_here(signal, info);
  return 0;
}

int sigaltstack(const stack_t* stack, stack_t* before) noexcept {
  return mask_is_ours() ? answer<int>(change_alternate_stack(stack, before))
                        : WEFT_REAL(sigaltstack)(stack, before);
}

int sigtimedwait(const sigset_t* set, siginfo_t* info, const timespec* time) {
  siginfo_t unwanted{};
  siginfo_t& found = info != nullptr ? *info : unwanted;
  if (time != nullptr && !is_valid(*time)) return answer<int>(-EINVAL);
  const os::Instant deadline = time == nullptr ? os::never : deadline_in(*time);
  return home_call("sigwait", [&] {
    for (;;) {
      if (mask_is_ours() && take_pending(bits_of(*set), found)) return found.si_signo;
      const std::uint32_t handlers = thread_state.handlers_run;
      const timespec left = left_until(deadline);
      const int signal = WEFT_REAL(sigtimedwait)(set, &found, time == nullptr ? nullptr : &left);
      if (signal >= 0 && is_told_by_us(found)) {
        if (take_told(signal, found)) return signal;
        continue;
      }
      // The catcher may have been quicker: it gives the signal back, and this wait was woken for
      // nothing.
      if (signal >= 0 || errno != EINTR || thread_state.handlers_run != handlers) return signal;
    }
  });
}

int sigwaitinfo(const sigset_t* set, siginfo_t* info) {
  return sigtimedwait(set, info, nullptr);
}

int sigwait(const sigset_t* set, int* signal) {
  for (;;) {
    const int taken = sigtimedwait(set, nullptr, nullptr);
    if (taken < 0 && errno == EINTR) continue;
    if (taken < 0) return errno;
    *signal = taken;
    return 0;
  }
}

int sigsuspend(const sigset_t* set) {
  return masked_call("sigsuspend", set, [&] { return WEFT_REAL(sigsuspend)(set); });
}

int pause() {
  return home_call("pause", [&] { return WEFT_REAL(pause)(); });
}

}  // extern "C"
