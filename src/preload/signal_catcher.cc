// SPDX-License-Identifier: Apache-2.0
// The life of the catcher.
#include "preload/signal_catcher.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include <bit>
#include <new>

#include "arch/signal_frame.h"
#include "fiber/libc.h"
#include "fiber/table.h"
#include "os/check.h"
#include "os/own_descriptors.h"
#include "os/system_call.h"
#include "preload/alternate_stack.h"
#include "preload/quiet_code.h"
#include "preload/real.h"
#include "preload/thread_timers.h"
#include "sched/thread.h"
#include "sched/worker.h"

namespace weft::preload {
namespace {

thread_local constinit bool is_catcher __attribute__((tls_model("initial-exec"))) = false;
constinit atomic<std::uint32_t> catcher_id{0};
// For the process, and blocked by all: left to the kernel.
constinit atomic<SignalBits> withheld{0};
constinit atomic<bool> some_undelivered{false};
constinit QuietCode quiet_code;

// What a thread raises by its own faults, and what is libc's.
constexpr SignalBits not_to_be_caught = bit_of(SIGSEGV) | bit_of(SIGBUS) | bit_of(SIGFPE) |
                                        bit_of(SIGILL) | bit_of(SIGTRAP) | bit_of(SIGSYS) |
                                        bit_of(32) | bit_of(33);

// A signal for the process is pending.
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

// Kicks whoever computes and has a signal to handle; answers whether there are any.
bool kick_all() {
  bool any = false;
  fiber::for_each([&any](fiber::Fiber& fiber) { any |= kick(fiber); });
  return any;
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

void* catch_signals(void* own_descriptor) {
  is_catcher = true;
  os::call(SYS_prctl, PR_SET_NAME, "weft-signals");
  const SignalBits own = bit_of(os::own_signal);
  os::call(SYS_rt_sigprocmask, SIG_BLOCK, &own, nullptr, sizeof(own));
  catcher_id.store(static_cast<std::uint32_t>(os::call(SYS_gettid)), std::memory_order_seq_cst);
  auto& descriptor = *static_cast<os::OwnDescriptor*>(own_descriptor);
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

void start_catcher() noexcept {
  quiet_code.find();
  struct sigaction own {};
  own.sa_sigaction = on_own_signal;
  own.sa_flags = SA_SIGINFO | SA_RESTART | SA_NODEFER;
  WEFT_REAL(sigaction)(os::own_signal, &own, nullptr);
  // Opened before it begins: for an instant it has a number that the program may want.
  auto* const descriptor =
      new (std::nothrow) os::OwnDescriptor;  // for as long as the process lives
  os::check(descriptor != nullptr, "weft: no memory for signals");
  watch_for(*descriptor, 0);
  pthread_t catcher{};
  const int error = fiber::create_undisturbed(catcher, catch_signals, descriptor);
  os::check(error == 0, "weft: no kernel thread left for signals; raise `ulimit -u`");
}

std::uint32_t id_of_catcher() noexcept {
  // It has just been started, if it has not said so yet.
  while (catcher_id.load(std::memory_order_seq_cst) == 0) os::call(SYS_sched_yield);
  return catcher_id.load(std::memory_order_seq_cst);
}

void wake_catcher() noexcept {
  os::call(SYS_tgkill, os::call(SYS_getpid), catcher_id.load(), os::own_signal);
}

void kick_by_catcher() noexcept {
  some_undelivered.store(true, std::memory_order_seq_cst);
  if (!is_catcher) wake_catcher();
}

fiber::Fiber* who_takes(int signal) noexcept {
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

SignalBits claim_withheld(SignalBits signals) noexcept {
  const SignalBits claimed = signals & withheld.load(std::memory_order_seq_cst);
  if (claimed != 0) withheld.fetch_and(~claimed, std::memory_order_seq_cst);
  return claimed;
}

void forget_catcher() noexcept {
  withheld.store(0, std::memory_order_relaxed);
  catcher_id.store(0, std::memory_order_relaxed);
}

}  // namespace weft::preload
