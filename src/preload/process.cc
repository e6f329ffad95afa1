// SPDX-License-Identifier: Apache-2.0
// Start of the runtime, and what is done once for a process.
#include "preload/process.h"

#include <sys/syscall.h>
#include <unwind.h>
#include <weft/budget.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <new>

#include "arch/switch.h"
#include "fiber/apart.h"
#include "fiber/libc.h"
#include "fiber/table.h"
#include "os/check.h"
#include "os/futex.h"
#include "os/spin_lock.h"
#include "os/system_call.h"
#include "preload/allocator.h"
#include "preload/alternate_stack.h"
#include "preload/credentials.h"
#include "preload/forking.h"
#include "preload/inheritance.h"
#include "preload/options.h"
#include "preload/signal_catcher.h"
#include "preload/thread_state.h"
#include "sched/interrupt.h"
#include "sched/monitor.h"
#include "sched/thread.h"
#include "sync/generation.h"

namespace weft::preload {
namespace {

constinit os::SpinLock lock;
constinit atomic<sched::Runtime*> current{nullptr};  // written under the lock

std::uint32_t budgeted_cpus() {
  const budget::Budget budget = budget::read();
  return static_cast<std::uint32_t>(
      std::max<std::uint64_t>(1, budget.sizes.cpu_pool_threads.value));
}

std::uint32_t wanted_workers() {
  return options().workers != 0 ? options().workers : budgeted_cpus();
}

// The one line that --verbose asks for.
void say_what_is_used(sched::Runtime& runtime) {
  std::fprintf(stderr, "weft: %u workers (%s), thread pointer by %s, files %s\n", runtime.workers(),
               options().workers != 0 ? "as told" : "the CPU budget, followed",
               arch::kernel_allows_wrfsbase() ? "wrfsbase" : "arch_prctl, which is slower",
               runtime.files().is_usable() ? "by io_uring" : "at home, as there is no io_uring");
}

// Follows the budget; a native thread, which sleeps nearly all of the time.
void* follow_budget(void* argument) {
  auto* const runtime = static_cast<sched::Runtime*>(argument);
  constinit static atomic<std::uint32_t> never_woken{0};
  fiber::Apart reader;
  for (;;) {
    os::futex_wait(never_woken, 0, os::MonotonicClock::now() + std::chrono::seconds{1});
    std::uint32_t wanted = 0;
    reader.run([&] { wanted = budgeted_cpus(); });
    if (wanted == runtime->workers()) continue;
    runtime->resize(wanted);
    fit_arenas(wanted);
  }
}

// Waits until no thread of the program's is left, and ends the process as libc would.
void* end_with_the_last(void* argument) {
  static_cast<sched::Runtime*>(argument)->wait_for_fibers();
  // The last one may still be in its destructors: until libc has taken it off its books.
  const auto homes_are_gone = [] {
    bool gone = true;
    const long process = os::call(SYS_getpid);
    fiber::for_each([&gone, process](const fiber::Fiber& fiber) {
      // The first one, which has the process's number, stays in the kernel until all is over.
      const bool is_finished = fiber.place.load() == fiber::Place::finished && fiber.id != process;
      gone &= !is_finished || os::call(SYS_tgkill, process, fiber.id.load(), 0) != 0;
    });
    return gone;
  };
  while (!homes_are_gone()) {
    const timespec time{.tv_sec = 0, .tv_nsec = 1'000'000};
    os::call(SYS_nanosleep, &time, nullptr);
  }
  std::exit(0);
}

// Our copy of the unwinder learns the sizes of registers when it is first used. When the program's
// unwinder, which is another copy, passes a frame of ours (pthread_once), ours must know them.
void prepare_unwinding() {
  const auto no_frame = [](_Unwind_Context*, void*) { return _URC_END_OF_STACK; };
  _Unwind_Backtrace(no_frame, nullptr);
}

__attribute__((constructor)) void begin_process() {
  prepare_unwinding();
  register_fork_handlers();
  sched::while_waiting.store([] { static_cast<void>(run_handlers()); }, std::memory_order_relaxed);
  if (options().children != Children::all) clean_environment();
}

__attribute__((destructor)) void end_process() {
  print_statistics();
  if (sched::Runtime* const running = runtime()) running->monitor()->withdraw_page();
}

}  // namespace

sched::Runtime* runtime() noexcept {
  return current.load(std::memory_order_acquire);
}

sched::Runtime& start_runtime() noexcept {
  if (sched::Runtime* const started = runtime()) return *started;
  const std::scoped_lock guard(lock);
  if (sched::Runtime* const started = runtime()) return *started;
  const std::uint32_t workers = wanted_workers();
  fit_arenas(workers);
  note_name_of_process();
  auto* const made = new (std::nothrow) sched::Runtime({.workers = workers,
                                                        .around_carrier = with_stack_for_faults,
                                                        .at_begin_of_home = name_home,
                                                        .monitor = {.publish = true}});
  os::check(made != nullptr, "weft: no memory for the workers");
  if (options().workers == 0) {
    pthread_t follower{};
    fiber::create_undisturbed(follower, follow_budget, made);
  }
  open_report();
  if (options().verbose) say_what_is_used(*made);
  current.store(made, std::memory_order_release);
  watch_credentials();
  start_catcher();
  keep_program_mask();
  sched::adopt(*made);
  mask_changed(~SignalBits{0});  // what came meanwhile, when nobody seemed to want it
  return *made;
}

void initial_thread_ends() noexcept {
  sched::Runtime* const running = runtime();
  if (running == nullptr) return;
  fiber::self().runtime = nullptr;
  pthread_t waiter{};
  running->fiber_is_over();
  const int error = fiber::create_undisturbed(waiter, end_with_the_last, running);
  os::check(error == 0, "weft: no kernel thread left for the end; raise `ulimit -u`");
}

void forget_runtime() noexcept {
  current.store(nullptr, std::memory_order_relaxed);
  lock.unlock();
}

bool is_forked() noexcept {
  return sync::generation() != 0;
}

unsigned cpu_count() noexcept {
  return wanted_workers();
}

}  // namespace weft::preload
