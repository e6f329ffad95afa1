// SPDX-License-Identifier: Apache-2.0
// Creation, end and join of a thread.
#include "sched/thread.h"

#include <sys/syscall.h>

#include <cerrno>
#include <chrono>
#include <mutex>

#include "fiber/libc.h"
#include "fiber/rseq.h"
#include "os/signal_mask.h"
#include "os/spin_lock.h"
#include "os/system_call.h"
#include "sched/interrupt.h"
#include "sched/park.h"

namespace weft::sched {

using fiber::Fiber;
using fiber::ParkKind;
using fiber::Place;

// Counted by three: the thread itself, who makes it, and who may join it.
struct Thread {
  Runtime* runtime = nullptr;
  void* (*function)(void*) = nullptr;
  void* argument = nullptr;
  pthread_t home{};
  atomic<std::uint32_t> owners{3};
  atomic<std::uint32_t> over{0};  // 1: the function has returned, and home goes to its end
  atomic<bool> detached{false};
  atomic<Fiber*> joiner{nullptr};
  os::SpinLock being_made;  // held until all can find it by its handle; then it begins
};

// Each thread's own, where others find it by the thread's handle.
thread_local constinit void* this_thread __attribute__((tls_model("initial-exec"))) = nullptr;

namespace {

// How long a joiner waits on its carrier for a home that goes to its end: libc's destructors,
// giving back the stack, and the kernel's part. Longer than that it takes only where a destructor
// waits.
constexpr auto patience = std::chrono::microseconds{100};

void give_up(Thread* thread, std::uint32_t shares = 1) noexcept {
  if (thread->owners.fetch_sub(shares, std::memory_order_acq_rel) == shares) delete thread;
}

// The thread's last words, at home, said by libc when the function has returned or was left
// (pthread_exit, cancellation), after the destructors of thread-local variables. What follows is
// libc's: destructors of keys, and the end.
void say_over(void* argument) noexcept {
  auto* const thread = static_cast<Thread*>(argument);
  Fiber& self = fiber::self();
  Runtime* const runtime = self.runtime;  // none: the only thread of a forked child
  self.runtime = nullptr;                 // from here on a thread that never leaves home
  // Pairs with the load in the table's sweep, after which the record is another's.
  self.place.store(Place::finished, std::memory_order_release);
  // Pairs with join(): either it sees `over`, or we see the joiner.
  thread->over.store(1, std::memory_order_seq_cst);
  Fiber* const joiner = thread->joiner.load(std::memory_order_seq_cst);
  if (joiner != nullptr) unpark(*joiner);
  give_up(thread);
  if (runtime != nullptr) runtime->fiber_is_over();
}

void* home_main(void* argument) {
  auto* const thread = static_cast<Thread*>(argument);
  if (fiber::finds_variables()) {
    const std::scoped_lock wait_for_creator(thread->being_made);
  }
  Fiber& self = fiber::self();
  self.runtime = thread->runtime;
  self.runtime->home_begins();
  fiber::leave_rseq();
  fiber::at_thread_end(say_over, thread);
  begin();
  void* const result = thread->function(thread->argument);
  go_home("thread end");
  return result;
}

}  // namespace

int spawn(Runtime& runtime, const pthread_attr_t* attributes, void* (*function)(void*),
          void* argument, Thread** thread, pthread_t* home) {
  auto* const made = new Thread;
  made->runtime = &runtime;
  made->function = function;
  made->argument = argument;
  // A home sleeps with the program's signals blocked.
  const os::SignalMask none_for_the_new_thread;
  runtime.fiber_begins();
  std::unique_lock being_made(made->being_made, std::defer_lock);
  if (fiber::finds_variables()) being_made.lock();
  pthread_t handle{};
  // libc writes it before the thread begins, and so do we: programs count on it.
  const int error =
      fiber::libc().create(home == nullptr ? &handle : home, attributes, home_main, made);
  if (error != 0) {
    if (being_made) being_made.unlock();
    runtime.fiber_is_over();
    delete made;
    return error;
  }
  made->home = home == nullptr ? handle : *home;
  if (being_made) {
    fiber::store_variable(fiber::variable_of(made->home, &this_thread), made);
  }
  int detach_state = PTHREAD_CREATE_JOINABLE;
  if (attributes != nullptr) pthread_attr_getdetachstate(attributes, &detach_state);
  const bool is_detached = detach_state == PTHREAD_CREATE_DETACHED;
  if (is_detached) made->detached.store(true, std::memory_order_relaxed);
  *thread = is_detached ? nullptr : made;
  if (being_made) being_made.unlock();
  give_up(made, is_detached ? 2 : 1);
  return 0;
}

void adopt(Runtime& runtime) noexcept {
  Fiber& self = fiber::self();
  runtime.fiber_begins();
  self.runtime = &runtime;
  fiber::leave_rseq();
  begin();
}

Thread* thread_of(pthread_t home) noexcept {
  void* const theirs = fiber::variable_of(home, &this_thread);
  return theirs == nullptr ? nullptr : static_cast<Thread*>(fiber::load_variable(theirs));
}

int join(Thread* thread, void** result, const JoinOptions& options) {
  Fiber& self = fiber::self();
  // After its last words a thread may have the address of another.
  const bool is_self = self.runtime != nullptr && thread == this_thread;
  if (is_self) return EDEADLK;
  Fiber* nobody = nullptr;
  if (thread->detached.load(std::memory_order_relaxed) ||
      !thread->joiner.compare_exchange_strong(nobody, &self)) {
    return EINVAL;
  }
  while (thread->over.load(std::memory_order_seq_cst) == 0) {
    const bool interrupted = options.interruptible && is_interrupted(self);
    const bool late =
        options.deadline != os::never && os::MonotonicClock::now() >= options.deadline;
    if (interrupted || late) {
      thread->joiner.store(nullptr, std::memory_order_seq_cst);
      return interrupted ? EINTR : ETIMEDOUT;
    }
    park(ParkKind::join, thread, options.deadline);
  }
  const pthread_t home = thread->home;
  give_up(thread);
  int error = fiber::libc().try_join(home, result);
  const os::Instant end = os::MonotonicClock::now() + patience;
  while (error == EBUSY && os::MonotonicClock::now() < end) {
    yield();
    os::call(SYS_sched_yield);  // home may need this very CPU
    error = fiber::libc().try_join(home, result);
  }
  if (error == EBUSY) {
    error = at_home("join", [&] { return fiber::libc().join(home, result); });
  }
  return error;
}

int detach(Thread* thread) {
  if (thread->detached.exchange(true, std::memory_order_relaxed)) return EINVAL;
  const int error = fiber::libc().detach(thread->home);
  give_up(thread);
  return error;
}

bool is_over(const Thread& thread) noexcept {
  return thread.over.load(std::memory_order_acquire) != 0;
}

pthread_t home_of(const Thread& thread) {
  return thread.home;
}

}  // namespace weft::sched
