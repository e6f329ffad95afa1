// SPDX-License-Identifier: Apache-2.0
// The delivery of signals to threads.
#include "preload/signals.h"

#include <sys/syscall.h>
#include <ucontext.h>

#include <bit>
#include <cerrno>
#include <cstring>
#include <utility>

#include "fiber/libc.h"
#include "fiber/table.h"
#include "os/system_call.h"
#include "preload/alternate_stack.h"
#include "preload/interrupts.h"
#include "preload/signal_actions.h"
#include "preload/signal_catcher.h"
#include "preload/signal_queue.h"
#include "preload/thread_state.h"
#include "preload/thread_timers.h"
#include "sched/interrupt.h"
#include "sched/thread.h"

namespace weft::preload {
namespace {

constinit SignalQueue queue;

constinit atomic<SignalBits> read_by_signalfd{0};
// A signal that was posted already carries this in its value when the kernel is told of it.
constexpr std::uintptr_t told_by_us = 0x7765'6674'7369'676e;

void invoke(const struct sigaction& action, int signal, siginfo_t* info, void* context) {
  ++thread_state.handlers_run;
  if ((action.sa_flags & SA_SIGINFO) != 0) {
    action.sa_sigaction(signal, info, context);
  } else {
    action.sa_handler(signal);
  }
}

// The program's mask while a handler runs. Nobody can block our own signal.
SignalBits mask_in_handler(SignalBits before, int signal, const struct sigaction& action) {
  const SignalBits own = (action.sa_flags & SA_NODEFER) != 0 ? 0 : bit_of(signal);
  return before | ((bits_of(action.sa_mask) | own) & ~bit_of(os::own_signal));
}

// Calls the program's handler, with its mask, on this stack. Handlers may write to the context.
void call_handler_here(fiber::Fiber& self, int signal, siginfo_t& info,
                       const struct sigaction& action, ucontext_t& context) {
  const SignalBits now = self.signals.blocked.load(std::memory_order_relaxed);
  // The first handler is the end of a call that waits with another mask.
  const bool ends_wait = std::exchange(thread_state.waits_with_mask, false);
  const SignalBits before = ends_wait ? thread_state.mask_after_wait : now;
  set_blocked(self, mask_in_handler(now, signal, action));
  context.uc_stack = thread_state.alternate_stack;
  std::memcpy(&context.uc_sigmask, &before, sizeof(before));
  invoke(action, signal, &info, &context);
  const SignalBits after = bits_of(context.uc_sigmask) & ~bit_of(os::own_signal);
  const SignalBits inside = self.signals.blocked.load(std::memory_order_relaxed);
  set_blocked(self, after);
  if ((inside & ~after) != 0) mask_changed(inside);
}

// The same, on the stack where it wants to be.
void call_handler(fiber::Fiber& self, int signal, siginfo_t& info, const struct sigaction& action) {
  if ((action.sa_flags & SA_RESETHAND) != 0) reset_action(signal);
  struct Call {
    fiber::Fiber& self;
    int signal;
    siginfo_t& info;
    const struct sigaction& action;
  } call{self, signal, info, action};
  const auto make = [](void* argument) {
    const Call& made = *static_cast<Call*>(argument);
    ucontext_t context{};
    call_handler_here(made.self, made.signal, made.info, made.action, context);
  };
  call_on_alternate_stack(action.sa_flags, make, &call);
}

// One signal of the calling thread's; answers whether a call that it interrupts goes on.
bool handle(fiber::Fiber& self, int signal, siginfo_t& info) {
  const struct sigaction action = action_of(signal);
  if (action.sa_handler == SIG_IGN) return true;
  if (action.sa_handler == SIG_DFL) {
    take_default_action(signal);
    return true;
  }
  call_handler(self, signal, info, action);
  return (action.sa_flags & SA_RESTART) != 0;
}

// Who has the copy of a signal that the kernel was told of.
enum class Copy : std::uint8_t { in_kernel, taken };

// Takes a signal that was sent to the fiber; false: it has been handled already.
bool take(fiber::Fiber& self, int signal, siginfo_t& info, Copy copy = Copy::in_kernel) {
  self.signals.pending.fetch_and(~bit_of(signal), std::memory_order_seq_cst);
  SignalQueue::Taken taken;
  if (!queue.pop(self, signal, taken)) return false;
  if (taken.more) self.signals.pending.fetch_or(bit_of(signal), std::memory_order_seq_cst);
  info = taken.info;
  note_delivery(info);
  if (taken.told && copy == Copy::in_kernel) {
    siginfo_t unwanted{};
    if (!self.is_home()) {
      thread_state.told_too_late |= bit_of(signal);
    } else {
      take_from_kernel(signal, unwanted);
    }
  }
  return true;
}

// A fault of the fiber's, on the stack where its handler wants to be.
void handle_fault(int signal, siginfo_t& info, ucontext_t& context) {
  const struct sigaction action = action_of(signal);
  if ((action.sa_flags & SA_RESETHAND) != 0) forget_handler(signal);
  call_handler_here(fiber::self(), signal, info, action, context);
}

}  // namespace

void on_signal(int signal, siginfo_t* info, void* context) {
  fiber::Fiber* const self = fiber::this_fiber;
  siginfo_t copy = *info;
  if (is_told_by_us(*info)) {
    if (self == nullptr || !take(*self, signal, copy, Copy::taken)) return;
    info = &copy;
  }
  const struct sigaction action = action_of(signal);
  if (!is_function(action)) return;
  auto& interrupted = *static_cast<ucontext_t*>(context);
  if (self != nullptr && !self->is_home()) {
    // By a carrier comes nothing but faults. What the thread has blocked kills, as natively.
    if ((self->signals.blocked.load(std::memory_order_relaxed) & bit_of(signal)) != 0) {
      reset_action(signal);
      return take_default_action(signal);
    }
    return handle_fault_of_fiber(signal, action.sa_flags, *info, interrupted, handle_fault);
  }
  if ((action.sa_flags & SA_RESETHAND) != 0) forget_handler(signal);
  if (self == nullptr || !thread_state.mask_is_ours) {
    return invoke(action, signal, info, context);
  }
  // The kernel has changed its mask, and changes it back.
  const bool stayed_home = thread_state.stays_home;
  const SignalBits before = self->signals.blocked.load(std::memory_order_relaxed);
  self->signals.blocked.store(mask_in_handler(before, signal, action), std::memory_order_seq_cst);
  invoke(action, signal, info, context);
  const SignalBits after = stayed_home ? bits_of(interrupted.uc_sigmask) : before;
  set_blocked(*self, after);
  if (!self->is_home() || thread_state.stays_home != stayed_home) {
    keep_to_kernel_thread(interrupted, bits_of(interrupted.uc_sigmask));
  }
  // A wait of ours, at home, is a futex call that goes on by itself: it has to be told.
  if ((action.sa_flags & SA_RESTART) == 0 &&
      self->permit.load(std::memory_order_relaxed) == fiber::Permit::parked_home) {
    sched::interrupt(*self, Interrupt::handled);
  }
}

bool take_from_kernel(int signal, siginfo_t& info) noexcept {
  const SignalBits wanted = bit_of(signal);
  const timespec at_once{};
  return os::call(SYS_rt_sigtimedwait, &wanted, &info, &at_once, sizeof(wanted)) > 0;
}

namespace {

void wake_for_signal(fiber::Fiber& fiber) {
  sched::interrupt(fiber, Interrupt::signal);
  kick_by_catcher();
}

// Tells the kernel of a signal that is posted to a thread at home.
void tell_kernel(const fiber::Fiber& fiber, int signal, const siginfo_t& info) {
  siginfo_t told = info;
  told.si_signo = signal;
  // Nobody may tell the kernel that another thread has sent it by tgkill.
  told.si_code = SI_QUEUE;
  told.si_value.sival_ptr = reinterpret_cast<void*>(told_by_us);
  os::call(SYS_rt_tgsigqueueinfo, os::call(SYS_getpid), fiber.id.load(), signal, &told);
}

// Whether the signal is made the process's: there is a signalfd for it, that only the kernel
// serves.
bool give_to_process(int signal, const siginfo_t& info) {
  const bool wanted = (read_by_signalfd.load(std::memory_order_relaxed) & bit_of(signal)) != 0;
  if (!wanted || who_takes(signal) != nullptr) return false;
  const long process = os::call(SYS_getpid);
  const long error = info.si_code == SI_QUEUE
                         ? os::call(SYS_rt_sigqueueinfo, process, signal, &info)
                         : os::call(SYS_kill, process, signal);
  return error == 0;
}

}  // namespace

int send_to(fiber::Fiber& fiber, int signal, const siginfo_t& info) noexcept {
  if (give_to_process(signal, info)) return 0;
  const bool has_room = queue.push(fiber, signal, info, [&](bool is_told) {
    const SignalBits before =
        fiber.signals.pending.fetch_or(bit_of(signal), std::memory_order_seq_cst);
    // What is not pending was left behind by a thread that had this record before.
    if (is_told && (before & bit_of(signal)) != 0) return true;
    // Pairs with open_to_signals(): either it sees the signal, or we see that the kernel may
    // interrupt.
    const bool is_open = fiber.signals.open_to_kernel.load(std::memory_order_seq_cst);
    if (is_open) tell_kernel(fiber, signal, info);
    return is_open;
  });
  if (!has_room) return EAGAIN;
  const bool is_open = fiber.signals.open_to_kernel.load(std::memory_order_seq_cst);
  const auto blocked = fiber.signals.blocked.load(std::memory_order_seq_cst);
  if (!is_open && (blocked & bit_of(signal)) == 0) wake_for_signal(fiber);
  return 0;
}

fiber::Fiber* fiber_by_id(int id) noexcept {
  fiber::Fiber* found = nullptr;
  fiber::for_each([&](fiber::Fiber& fiber) {
    if (fiber.runtime != nullptr && fiber.id.load() == static_cast<std::uint32_t>(id) &&
        fiber.place.load() != fiber::Place::finished) {
      found = &fiber;
    }
  });
  return found;
}

fiber::Fiber* fiber_of_thread(pthread_t thread) noexcept {
  for (;;) {
    fiber::Fiber* const fiber = fiber::fiber_of(thread);
    if (fiber != nullptr && fiber->runtime != nullptr) return fiber;
    if (fiber != nullptr && fiber->place.load() == fiber::Place::finished) return nullptr;
    if (sched::thread_of(thread) == nullptr) return nullptr;
    sched::yield();
  }
}

int send_or_act(fiber::Fiber& fiber, int signal, const siginfo_t& info) noexcept {
  const auto blocked = fiber.signals.blocked.load(std::memory_order_seq_cst);
  // Without a handler it is about the process, whoever it is sent to; or about nobody.
  const bool acts = !has_handler(signal) && signal != SIGKILL && signal != SIGSTOP &&
                    (blocked & bit_of(signal)) == 0;
  if (!acts) return send_to(fiber, signal, info);
  take_default_action(signal);
  return 0;
}

void begin_thread(SignalBits mask) noexcept {
  const SignalBits before = exchange_program_mask(mask);
  thread_state.mask_is_ours = true;
  mask_changed(before);
}

void summon_home(fiber::Fiber& fiber) noexcept {
  if (fiber.runtime == nullptr) return;
  fiber.signals.pending.fetch_or(bit_of(os::own_signal), std::memory_order_seq_cst);
  wake_for_signal(fiber);
}

void note_signalfd(SignalBits signals) noexcept {
  read_by_signalfd.fetch_or(signals, std::memory_order_relaxed);
}

siginfo_t info_of_thread_signal(int signal) noexcept {
  siginfo_t info{};
  info.si_signo = signal;
  info.si_code = SI_TKILL;
  info.si_pid = static_cast<pid_t>(os::call(SYS_getpid));
  info.si_uid = static_cast<uid_t>(os::call(SYS_getuid));
  return info;
}

void raise_here(int signal, const siginfo_t& info) noexcept {
  fiber::Fiber& self = fiber::self();
  if ((self.signals.blocked.load(std::memory_order_relaxed) & bit_of(signal)) != 0) {
    send_to(self, signal, info);
    return;
  }
  siginfo_t copy = info;
  handle(self, signal, copy);
}

Handled run_handlers() noexcept {
  fiber::Fiber& self = fiber::self();
  Handled result;
  for (;;) {
    const SignalBits ready = self.signals.pending.load(std::memory_order_seq_cst) &
                             ~self.signals.blocked.load(std::memory_order_relaxed);
    if ((ready & bit_of(os::own_signal)) != 0 && sched::counts_as_away(self)) {
      self.signals.pending.fetch_and(~bit_of(os::own_signal), std::memory_order_seq_cst);
      stay_home("CPU clock of a thread");
      continue;
    }
    const SignalBits sent = ready & ~bit_of(os::own_signal);
    if (sent == 0) return result;
    const int signal = std::countr_zero(sent) + 1;
    siginfo_t info{};
    if (!take(self, signal, info)) continue;
    result.any = true;
    result.goes_on &= handle(self, signal, info);
  }
}

bool take_pending(SignalBits wanted, siginfo_t& info) noexcept {
  fiber::Fiber& self = fiber::self();
  for (;;) {
    const SignalBits ready = self.signals.pending.load(std::memory_order_seq_cst) & wanted;
    if (ready == 0) return false;
    if (take(self, std::countr_zero(ready) + 1, info)) return true;
  }
}

bool take_told(int signal, siginfo_t& info) noexcept {
  return take(fiber::self(), signal, info, Copy::taken);
}

void forget_told_too_late() noexcept {
  SignalBits& late = thread_state.told_too_late;
  for (; late != 0; late &= late - 1) {
    siginfo_t info{};
    take_from_kernel(std::countr_zero(late) + 1, info);
  }
}

bool is_told_by_us(const siginfo_t& info) noexcept {
  return info.si_code == SI_QUEUE && info.si_value.sival_ptr == reinterpret_cast<void*>(told_by_us);
}

void mask_changed(SignalBits before) noexcept {
  fiber::Fiber& self = fiber::self();
  const SignalBits opened = before & ~self.signals.blocked.load(std::memory_order_seq_cst);
  if (opened == 0) return;
  // Those of the process that nobody wanted are the kernel's; it gives them to whoever asks.
  if (const SignalBits wanted = claim_withheld(opened)) {
    const timespec at_once{};
    siginfo_t info{};
    for (;;) {
      const long signal = os::call(SYS_rt_sigtimedwait, &wanted, &info, &at_once, sizeof(wanted));
      if (signal <= 0) break;
      handle(self, static_cast<int>(signal), info);
    }
    wake_catcher();
  }
  run_handlers();
}

void raise_broken_pipe() noexcept {
  raise_here(SIGPIPE, info_of_thread_signal(SIGPIPE));
}

void forget_signals() noexcept {
  queue.forget();
  forget_catcher();
  forget_timers();
  unlock_actions();
}

}  // namespace weft::preload
