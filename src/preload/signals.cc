// SPDX-License-Identifier: Apache-2.0
// Actions, and the delivery of signals.
#include "preload/signals.h"

#include <link.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "fiber/libc.h"
#include "fiber/table.h"
#include "os/futex.h"
#include "os/system_call.h"
#include "preload/interrupts.h"
#include "preload/real.h"
#include "preload/signal_queue.h"
#include "preload/thread_state.h"
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
// For the process, and blocked by all: back in the kernel.
constinit atomic<SignalBits> withheld{0};
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

// Calls the program's handler, on this stack.
void call_handler(fiber::Fiber& self, int signal, siginfo_t& info, const struct sigaction& action) {
  const SignalBits before = self.signals.blocked.load(std::memory_order_relaxed);
  const SignalBits own = (action.sa_flags & SA_NODEFER) != 0 ? 0 : bit_of(signal);
  self.signals.blocked.store(before | bits_of(action.sa_mask) | own, std::memory_order_seq_cst);
  if ((action.sa_flags & SA_RESETHAND) != 0) reset(signal);
  ucontext_t context{};
  std::memcpy(&context.uc_sigmask, &before, sizeof(before));
  invoke(action, signal, &info, &context);
  const SignalBits after = bits_of(context.uc_sigmask);  // handlers may write there
  const SignalBits inside = self.signals.blocked.load(std::memory_order_relaxed);
  self.signals.blocked.store(after, std::memory_order_seq_cst);
  if ((inside & ~after) != 0) mask_changed(inside);
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

// Takes a signal that was sent to the fiber; false: it has been handled already.
bool take(fiber::Fiber& self, int signal, siginfo_t& info) {
  bool more = false;
  self.signals.pending.fetch_and(~bit_of(signal), std::memory_order_seq_cst);
  const bool found = queue.pop(self, signal, info, more);
  if (more) self.signals.pending.fetch_or(bit_of(signal), std::memory_order_seq_cst);
  return found;
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

// In the catcher, which has taken a signal of the process.
void route(int signal, const siginfo_t& info) {
  // Announced first: whoever stops to block it sees this, or is seen.
  withheld.fetch_or(bit_of(signal), std::memory_order_seq_cst);
  fiber::Fiber* const fiber = who_takes(signal);
  if (fiber == nullptr) {
    // What the kernel said of a sender (a code that is not negative) nobody else may say.
    const long process = os::call(SYS_getpid);
    if (os::call(SYS_rt_sigqueueinfo, process, signal, &info) != 0) {
      os::call(SYS_kill, process, signal);
    }
    return;
  }
  withheld.fetch_and(~bit_of(signal), std::memory_order_seq_cst);
  if (has_handler(signal)) {
    send_to(*fiber, signal, info);
  } else {
    take_default_action(signal);
  }
}

// The kernel's handler of everything that the program handles.
void on_signal(int signal, siginfo_t* info, void* context) {
  fiber::Fiber* const self = fiber::this_fiber;
  siginfo_t copy = *info;
  if (is_told_by_us(*info)) {
    if (self == nullptr || !take(*self, signal, copy)) return;
    info = &copy;
  }
  const struct sigaction action = action_of(signal);
  if (!is_function(action)) return;
  if ((action.sa_flags & SA_RESETHAND) != 0) forget_handler(signal);
  invoke(action, signal, info, context);
  // A wait of ours, at home, is a futex call that goes on by itself: it has to be told.
  if (self != nullptr && (action.sa_flags & SA_RESTART) == 0 &&
      self->permit.load(std::memory_order_relaxed) == fiber::Permit::parked_home) {
    sched::interrupt(*self, Interrupt::handled);
  }
}

// The code of this library and of libc, where a fiber must not be disturbed: it may hold a lock of
// the engine's, or be about to switch.
class QuietCode {
 public:
  void find() noexcept { ::dl_iterate_phdr(&QuietCode::add, this); }
  bool has(std::uintptr_t address) const noexcept {
    for (const Range& range : ranges_) {
      if (address >= range.begin && address < range.end) return true;
    }
    return false;
  }

 private:
  struct Range {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
  };
  static int add(dl_phdr_info* info, std::size_t, void* self) {
    const auto here = reinterpret_cast<std::uintptr_t>(&QuietCode::add);
    const char* const name = info->dlpi_name == nullptr ? "" : info->dlpi_name;
    const bool by_name = std::strstr(name, "/libc.so") != nullptr ||
                         std::strstr(name, "/ld-linux") != nullptr ||
                         std::strstr(name, "vdso") != nullptr;
    Range all{.begin = ~std::uintptr_t{0}, .end = 0};
    bool is_ours = false;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
      const auto& segment = info->dlpi_phdr[i];
      if (segment.p_type != PT_LOAD) continue;
      const std::uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
      all.begin = std::min(all.begin, begin);
      all.end = std::max(all.end, begin + segment.p_memsz);
      is_ours |= here >= begin && here < begin + segment.p_memsz;
    }
    auto& ranges = static_cast<QuietCode*>(self)->ranges_;
    for (Range& range : ranges) {
      if ((!by_name && !is_ours) || range.end != 0) continue;
      range = all;
      break;
    }
    return 0;
  }
  Range ranges_[4] = {};
};
constinit QuietCode quiet_code;

// Our own signal, to a kernel thread that runs a fiber for which there is something.
void on_own_signal(int, siginfo_t*, void* context) {
  const auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  // A home asleep is in quiet code.
  const fiber::Fiber* const self = fiber::this_fiber;
  if (self == nullptr || !sched::counts_as_away(*self)) return;
  if (quiet_code.has(static_cast<std::uintptr_t>(registers[REG_RIP]))) return;
  run_handlers();
}

// Whether the fiber has something to handle that it has not been woken for.
bool kick(fiber::Fiber& fiber) {
  const SignalBits ready = fiber.signals.pending.load(std::memory_order_seq_cst) &
                           ~fiber.signals.blocked.load(std::memory_order_seq_cst);
  if (fiber.runtime == nullptr || ready == 0) return false;
  const sched::Carrier* const carrier = fiber.carrier.load(std::memory_order_relaxed);
  // At home in a call it hears of it from the kernel, and our own signal would end the call.
  if (carrier == nullptr && !fiber.is_leaving()) return true;
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

void* catch_signals(void*) {
  is_catcher = true;
  os::call(SYS_prctl, PR_SET_NAME, "weft-signals");
  const SignalBits own = bit_of(os::own_signal);
  os::call(SYS_rt_sigprocmask, SIG_BLOCK, &own, nullptr, sizeof(own));
  catcher_id.store(static_cast<std::uint32_t>(os::call(SYS_gettid)), std::memory_order_seq_cst);
  for (;;) {
    const bool again = some_undelivered.exchange(false, std::memory_order_seq_cst) && kick_all();
    if (again) some_undelivered.store(true, std::memory_order_seq_cst);
    const SignalBits wanted = ~withheld.load(std::memory_order_seq_cst) & ~not_to_be_caught;
    const timespec soon{.tv_sec = 0, .tv_nsec = 1'000'000};
    siginfo_t info{};
    const long signal =
        os::call(SYS_rt_sigtimedwait, &wanted, &info, again ? &soon : nullptr, sizeof(wanted));
    if (signal > 0 && signal != os::own_signal) route(static_cast<int>(signal), info);
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

int send_to(fiber::Fiber& fiber, int signal, const siginfo_t& info) noexcept {
  if (!queue.push(fiber, signal, info)) return EAGAIN;
  fiber.signals.pending.fetch_or(bit_of(signal), std::memory_order_seq_cst);
  // Pairs with open_to_signals(): either it sees the signal, or we see that the kernel may
  // interrupt.
  if (fiber.signals.open_to_kernel.load(std::memory_order_seq_cst)) {
    siginfo_t told = info;
    told.si_signo = signal;
    told.si_code =
        SI_QUEUE;  // nobody may tell the kernel that another thread has sent it by tgkill
    told.si_value.sival_ptr = reinterpret_cast<void*>(told_by_us);
    os::call(SYS_rt_tgsigqueueinfo, os::call(SYS_getpid), fiber.id.load(), signal, &told);
  } else if ((fiber.signals.blocked.load(std::memory_order_seq_cst) & bit_of(signal)) == 0) {
    sched::interrupt(fiber, Interrupt::signal);
    some_undelivered.store(true, std::memory_order_seq_cst);
    if (!is_catcher) wake_catcher();
  }
  return 0;
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
    if (ready == 0) return result;
    const int signal = std::countr_zero(ready) + 1;
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
  const os::SignalMask none_for_the_new_thread;
  fiber::libc().create(&catcher, nullptr, catch_signals, nullptr);
}

void forget_signals() noexcept {
  queue.forget();
  withheld.store(0, std::memory_order_relaxed);
  for (Action& action : actions) action.lock.unlock();
}

}  // namespace weft::preload
