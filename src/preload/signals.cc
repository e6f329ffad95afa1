// SPDX-License-Identifier: Apache-2.0
// Actions, and the delivery of signals.
#include "preload/signals.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include <bit>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

#include "arch/signal_frame.h"
#include "fiber/libc.h"
#include "fiber/table.h"
#include "os/futex.h"
#include "os/own_descriptors.h"
#include "os/system_call.h"
#include "preload/alternate_stack.h"
#include "preload/interrupts.h"
#include "preload/quiet_code.h"
#include "preload/real.h"
#include "preload/signal_queue.h"
#include "preload/thread_state.h"
#include "preload/thread_timers.h"
#include "sched/interrupt.h"
#include "sched/thread.h"
#include "sched/worker.h"

namespace weft::preload {
namespace {

constexpr int signals = 64;

// What the program has said of a signal.
struct Action {
  struct sigaction action {};  // guarded by lock, as known
  os::SpinLock lock;
  bool known = false;  // otherwise the kernel has it
};
constinit Action actions[signals + 1];
constinit SignalQueue queue;

// Of the catcher.
thread_local constinit bool is_catcher __attribute__((tls_model("initial-exec"))) = false;
// For the process, and blocked by all: left to the kernel.
constinit atomic<SignalBits> withheld{0};
constinit atomic<SignalBits> read_by_signalfd{0};
constinit atomic<std::uint32_t> catcher_id{0};
// What a thread raises by its own faults, and what is libc's.
constexpr SignalBits not_to_be_caught = bit_of(SIGSEGV) | bit_of(SIGBUS) | bit_of(SIGFPE) |
                                        bit_of(SIGILL) | bit_of(SIGTRAP) | bit_of(SIGSYS) |
                                        bit_of(32) | bit_of(33);

// A signal that was posted already carries this in its value when the kernel is told of it.
constexpr std::uintptr_t told_by_us = 0x7765'6674'7369'676e;

struct sigaction action_of(int signal) {
  const os::SignalMask undisturbed;
  const std::scoped_lock guard(actions[signal].lock);
  return actions[signal].action;
}

// The kernel has reset its own action.
void forget_handler(int signal) {
  const os::SignalMask undisturbed;
  const std::scoped_lock guard(actions[signal].lock);
  actions[signal].action.sa_handler = SIG_DFL;
}

bool is_function(const struct sigaction& action) {
  return action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN;
}

void reset(int signal) {
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  set_action(signal, &action, nullptr);
}

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
  if ((action.sa_flags & SA_RESETHAND) != 0) reset(signal);
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

// Takes a signal of this number from the kernel, if there is one.
bool take_from_kernel(int signal, siginfo_t& info) {
  const SignalBits wanted = bit_of(signal);
  const timespec at_once{};
  return os::call(SYS_rt_sigtimedwait, &wanted, &info, &at_once, sizeof(wanted)) > 0;
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

// A thread of the program's that takes the signal: the first one, if it does.
fiber::Fiber* who_takes(int signal) {
  const auto process = static_cast<std::uint32_t>(os::call(SYS_getpid));
  fiber::Fiber* found = nullptr;
  fiber::for_each([&](fiber::Fiber& fiber) {
    const auto place = fiber.place.load(std::memory_order_relaxed);
    if (fiber.runtime == nullptr || place == fiber::Place::finished) return;
    if ((fiber.signals.blocked.load(std::memory_order_seq_cst) & bit_of(signal)) != 0) return;
    if (found == nullptr || fiber.id == process) found = &fiber;
  });
  return found;
}

// In the catcher: a signal for the process is pending.
void route(int signal) {
  // Announced first: whoever stops to block it sees this, or is seen.
  withheld.fetch_or(bit_of(signal), std::memory_order_seq_cst);
  fiber::Fiber* const fiber = who_takes(signal);
  if (fiber == nullptr) return;
  withheld.fetch_and(~bit_of(signal), std::memory_order_seq_cst);
  siginfo_t info{};
  if (!take_from_kernel(signal, info)) return;  // somebody else has
  send_or_act(*fiber, signal, info);
}

// A fault of the fiber's, on the stack where its handler wants to be.
void handle_fault(int signal, siginfo_t& info, ucontext_t& context) {
  const struct sigaction action = action_of(signal);
  if ((action.sa_flags & SA_RESETHAND) != 0) forget_handler(signal);
  call_handler_here(fiber::self(), signal, info, action, context);
}

// The kernel's handler of everything that the program handles.
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
      reset(signal);
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

constinit QuietCode quiet_code;

// Our own signal, to a kernel thread that runs a fiber for which there is something.
void on_own_signal(int, siginfo_t*, void* context) {
  auto& interrupted = *static_cast<ucontext_t*>(context);
  // A home asleep is in quiet code.
  const fiber::Fiber* const self = fiber::this_fiber;
  if (self == nullptr || !sched::counts_as_away(*self)) return;
  if (quiet_code.has(arch::instruction_of(interrupted))) return;
  run_handlers();
  keep_to_kernel_thread(interrupted, bits_of(interrupted.uc_sigmask));
}

// Whether the fiber has something to handle that it has not been woken for.
bool kick(fiber::Fiber& fiber) {
  const SignalBits ready = fiber.signals.pending.load(std::memory_order_seq_cst) &
                           ~fiber.signals.blocked.load(std::memory_order_seq_cst);
  if (fiber.runtime == nullptr || ready == 0) return false;
  const sched::Carrier* const carrier = fiber.carrier.load(std::memory_order_relaxed);
  // At home in a call it hears of it from the kernel, and our own signal would end the call. To go
  // home for good it waits for the end of the call; pairs with close_to_signals().
  if (carrier == nullptr && !fiber.is_leaving()) {
    const bool is_in_call = fiber.signals.open_to_kernel.load(std::memory_order_seq_cst);
    return !is_in_call || (ready & ~bit_of(os::own_signal)) != 0;
  }
  const std::uint32_t runner = carrier != nullptr ? carrier->own->id : fiber.id;
  os::call(SYS_tgkill, os::call(SYS_getpid), runner, os::own_signal);
  return true;
}

constinit atomic<bool> some_undelivered{false};

// Kicks whoever computes and has a signal to handle; answers whether there are any.
bool kick_all() {
  bool any = false;
  fiber::for_each([&any](fiber::Fiber& fiber) { any |= kick(fiber); });
  return any;
}

void wake_catcher() {
  os::call(SYS_tgkill, os::call(SYS_getpid), catcher_id.load(), os::own_signal);
}

// Says when one of these is pending, and takes none. False: there is no descriptor for it.
bool watch_for(os::OwnDescriptor& descriptor, SignalBits signals) {
  const auto set = [&](int number) {
    return os::call(SYS_signalfd4, number, &signals, sizeof(signals), SFD_CLOEXEC);
  };
  if (descriptor.number() >= 0) return set(descriptor.number()) >= 0;
  return descriptor.open([&] { return set(-1); }) == 0;
}

// What the catcher was woken for: a timer, or to look around.
void take_own_signals() {
  siginfo_t info{};
  while (take_from_kernel(os::own_signal, info)) {
    if (info.si_code == SI_TIMER) timer_expired(info);
  }
}

void* catch_signals(void*) {
  is_catcher = true;
  os::call(SYS_prctl, PR_SET_NAME, "weft-signals");
  const SignalBits own = bit_of(os::own_signal);
  os::call(SYS_rt_sigprocmask, SIG_BLOCK, &own, nullptr, sizeof(own));
  catcher_id.store(static_cast<std::uint32_t>(os::call(SYS_gettid)), std::memory_order_seq_cst);
  auto& descriptor = *new os::OwnDescriptor;  // for as long as the process lives
  SignalBits watched = 0;
  bool is_watching = false;
  for (;;) {
    const bool again = some_undelivered.exchange(false, std::memory_order_seq_cst) && kick_all();
    if (again) some_undelivered.store(true, std::memory_order_seq_cst);
    const SignalBits wanted = ~withheld.load(std::memory_order_seq_cst) & ~not_to_be_caught;
    if (!is_watching || wanted != watched) {
      is_watching = watch_for(descriptor, wanted);
      watched = wanted;
    }
    pollfd look{.fd = descriptor.number(), .events = POLLIN, .revents = 0};
    const timespec soon{.tv_sec = 0, .tv_nsec = 1'000'000};
    const bool comes_back = again || !is_watching;
    os::call(SYS_ppoll, &look, 1, comes_back ? &soon : nullptr, nullptr, 0);
    SignalBits pending = 0;
    os::call(SYS_rt_sigpending, &pending, sizeof(pending));
    if ((pending & own) != 0) take_own_signals();
    for (pending &= wanted & ~own; pending != 0; pending &= pending - 1) {
      route(std::countr_zero(pending) + 1);
    }
  }
}

}  // namespace

int set_action(int signal, const struct sigaction* action, struct sigaction* before) noexcept {
  if (!is_signal(signal)) return WEFT_REAL(sigaction)(signal, action, before);
  struct sigaction theirs {};
  if (action != nullptr) {
    theirs = *action;
    if (is_function(*action)) {
      theirs.sa_sigaction = on_signal;
      theirs.sa_flags |= SA_SIGINFO;
    }
  }
  const os::SignalMask undisturbed;
  const std::scoped_lock guard(actions[signal].lock);
  struct sigaction kernels {};
  if (WEFT_REAL(sigaction)(signal, action == nullptr ? nullptr : &theirs, &kernels) != 0) return -1;
  const struct sigaction known = actions[signal].known ? actions[signal].action : kernels;
  if (action != nullptr) {
    actions[signal].action = *action;
    actions[signal].known = true;
  }
  if (before != nullptr) *before = known;
  return 0;
}

bool has_handler(int signal) noexcept {
  return is_function(action_of(signal));
}

void take_default_action(int signal) noexcept {
  const SignalBits bit = bit_of(signal);
  SignalBits before = 0;
  os::call(SYS_tgkill, os::call(SYS_getpid), os::call(SYS_gettid), signal);
  os::call(SYS_rt_sigprocmask, SIG_UNBLOCK, &bit, &before, sizeof(bit));
  os::call(SYS_rt_sigprocmask, SIG_SETMASK, &before, nullptr, sizeof(before));
}

namespace {

void wake_for_signal(fiber::Fiber& fiber) {
  sched::interrupt(fiber, Interrupt::signal);
  some_undelivered.store(true, std::memory_order_seq_cst);
  if (!is_catcher) wake_catcher();
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
  const SignalBits wanted = opened & withheld.load(std::memory_order_seq_cst);
  if (wanted != 0) {
    withheld.fetch_and(~wanted, std::memory_order_seq_cst);
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

void start_catcher() noexcept {
  quiet_code.find();
  struct sigaction own {};
  own.sa_sigaction = on_own_signal;
  own.sa_flags = SA_SIGINFO | SA_RESTART | SA_NODEFER;
  WEFT_REAL(sigaction)(os::own_signal, &own, nullptr);
  pthread_t catcher{};
  const int error = fiber::create_undisturbed(catcher, catch_signals, nullptr);
  os::check(error == 0, "weft: no kernel thread left for signals; raise `ulimit -u`");
}

std::uint32_t id_of_catcher() noexcept {
  // It has just been started, if it has not said so yet.
  while (catcher_id.load(std::memory_order_seq_cst) == 0) os::call(SYS_sched_yield);
  return catcher_id.load(std::memory_order_seq_cst);
}

void forget_signals() noexcept {
  queue.forget();
  withheld.store(0, std::memory_order_relaxed);
  catcher_id.store(0, std::memory_order_relaxed);
  forget_timers();
  for (Action& action : actions) action.lock.unlock();
}

}  // namespace weft::preload
