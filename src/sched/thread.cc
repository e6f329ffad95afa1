// SPDX-License-Identifier: Apache-2.0
// Creation, end and join of a thread.
#include "sched/thread.h"

#include <sys/syscall.h>

#include <cerrno>
#include <chrono>

#include "fiber/libc.h"
#include "fiber/rseq.h"
#include "os/signal_mask.h"
#include "os/system_call.h"
#include "sched/park.h"

namespace weft::sched {

using fiber::Fiber;
using fiber::ParkKind;
using fiber::Place;

// Counted by two: the thread itself, and who may join it.
struct Thread {
  Runtime* runtime = nullptr;
  void* (*function)(void*) = nullptr;
  void* argument = nullptr;
  pthread_t home{};
  atomic<std::uint32_t> owners{2};
  atomic<std::uint32_t> over{0};  // 1: the function has returned, and home goes to its end
  atomic<Fiber*> joiner{nullptr};
};

namespace {

// How long a joiner waits on its carrier for a home that goes to its end: libc's destructors,
// giving back the stack, and the kernel's part. Longer than that it takes only where a destructor
// waits.
constexpr auto patience = std::chrono::microseconds{100};

void give_up(Thread* thread) noexcept {
  if (thread->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) delete thread;
}

// The thread's last words, at home; what follows is libc's: destructors, and the end.
void say_over(Thread* thread, Fiber& self) noexcept {
  Runtime& runtime = *self.runtime;
  self.runtime = nullptr;  // from here on a thread that never leaves home
  // Pairs with the load in the table's sweep, after which the record is another's.
  self.place.store(Place::finished, std::memory_order_release);
  // Pairs with join(): either it sees `over`, or we see the joiner.
  thread->over.store(1, std::memory_order_seq_cst);
  Fiber* const joiner = thread->joiner.load(std::memory_order_seq_cst);
  if (joiner != nullptr) unpark(*joiner);
  give_up(thread);
  runtime.fiber_is_over();
}

// Goes home for the end of the thread, whether its function returns or libc unwinds it
// (pthread_exit): the rest of the unwinding, too, is home's.
class LastTripHome {
 public:
  LastTripHome(Thread* thread, Fiber& self) noexcept : thread_(thread), self_(self) {}
  ~LastTripHome() {
    go_home("thread end");
    say_over(thread_, self_);
  }
  LastTripHome(const LastTripHome&) = delete;
  LastTripHome& operator=(const LastTripHome&) = delete;

 private:
  Thread* const thread_;
  Fiber& self_;
};

void* home_main(void* argument) {
  auto* const thread = static_cast<Thread*>(argument);
  Fiber& self = fiber::self();
  self.runtime = thread->runtime;
  fiber::leave_rseq();
  const LastTripHome last_trip_home(thread, self);
  begin();
  return thread->function(thread->argument);
}

}  // namespace

int spawn(Runtime& runtime, const pthread_attr_t* attributes, void* (*function)(void*),
          void* argument, Thread** thread) {
  auto* const made = new Thread;
  made->runtime = &runtime;
  made->function = function;
  made->argument = argument;
  // A home sleeps with the program's signals blocked.
  const os::SignalMask none_for_the_new_thread;
  runtime.fiber_begins();
  const int error = fiber::libc().create(&made->home, attributes, home_main, made);
  if (error != 0) {
    runtime.fiber_is_over();
    delete made;
    return error;
  }
  *thread = made;
  return 0;
}

int join(Thread* thread, void** result) {
  Fiber& self = fiber::self();
  thread->joiner.store(&self, std::memory_order_seq_cst);
  while (thread->over.load(std::memory_order_seq_cst) == 0) park(ParkKind::join, thread);
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

void detach(Thread* thread) {
  fiber::libc().detach(thread->home);
  give_up(thread);
}

pthread_t home_of(const Thread& thread) {
  return thread.home;
}

}  // namespace weft::sched
