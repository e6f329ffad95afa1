// SPDX-License-Identifier: Apache-2.0
// Threads: created, joined, detached, ended.
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <memory>

#include "fiber/libc.h"
#include "os/signal_mask.h"
#include "os/system_call.h"
#include "preload/calls.h"
#include "preload/clocks.h"
#include "preload/identity.h"
#include "preload/inheritance.h"
#include "preload/native_threads.h"
#include "preload/process.h"
#include "preload/real.h"
#include "sched/interrupt.h"
#include "sync/deadline.h"
#include "sync/once.h"

namespace weft::preload {
namespace {

// What a new thread inherits, and what it shall run.
struct Start {
  void* (*function)(void*);
  void* argument;
  SignalBits mask;
};

// It may be one that was made: in a forked child. To be called at the end of any.
void end_of_initial_thread() {
  if (::gettid() != ::getpid()) return;
  sched::go_home("thread end");
  initial_thread_ends();
}

void* run_thread(void* argument) {
  const Start start = *static_cast<Start*>(argument);
  delete static_cast<Start*>(argument);
  fiber::Fiber& self = fiber::self();
  begin_thread(start.mask);
  // Pairs with pthread_cancel(): it sees our record, or we see its request.
  if (thread_state.cancel_requested.load(std::memory_order_seq_cst)) {
    self.interrupts.fetch_or(Interrupt::cancel, std::memory_order_seq_cst);
  }
  void* const result = start.function(start.argument);
  end_of_initial_thread();
  return result;
}

// A thread that stays native has the program's mask in the kernel, as any.
void* run_native_thread(void* argument) {
  const Start start = *static_cast<Start*>(argument);
  delete static_cast<Start*>(argument);
  os::call(SYS_rt_sigprocmask, SIG_SETMASK, &start.mask, nullptr, sizeof(start.mask));
  return start.function(start.argument);
}

int create(pthread_t* handle, const pthread_attr_t* attributes, void* (*function)(void*),
           void* argument) {
  sched::Runtime& runtime = start_runtime();
  auto start = std::make_unique<Start>(Start{function, argument, program_mask()});
  if (is_kept_native(function)) {
    const os::SignalMask none_for_the_new_thread;
    const int error = WEFT_REAL(pthread_create)(handle, attributes, run_native_thread, start.get());
    if (error == 0) static_cast<void>(start.release());
    return error;
  }
  sched::Thread* thread = nullptr;
  const auto make = [&] {
    return sched::spawn(runtime, attributes, run_thread, start.get(), &thread, handle);
  };
  const int error =
      threads_have_own_attributes() ? uncancelled_home_call("pthread_create", make) : make();
  if (error == 0) static_cast<void>(start.release());
  return error;
}

// Joins as the fiber that the caller is, or natively.
int join(pthread_t handle, void** result, const sync::Deadline& deadline) {
  sched::Thread* const thread = sched::thread_of(handle);
  for (;;) {
    act_on_cancellation();
    const auto until = deadline.park_until();
    const int error = sched::join(
        thread, result, {.deadline = until.value_or(os::Instant::min()), .interruptible = true});
    if (error == EINTR) {
      static_cast<void>(act_on_interrupts());
    } else if (error != ETIMEDOUT || !deadline.park_until()) {
      return error;  // a real-time deadline is looked at every second
    }
  }
}

}  // namespace
}  // namespace weft::preload

using namespace weft;
using namespace weft::preload;

extern "C" {

int pthread_create(pthread_t* handle, const pthread_attr_t* attributes, void* (*function)(void*),
                   void* argument) noexcept {
  return create(handle, attributes, function, argument);
}

int pthread_join(pthread_t handle, void** result) {
  if (sched::thread_of(handle) == nullptr) {
    return home_call("pthread_join", [&] { return WEFT_REAL(pthread_join)(handle, result); });
  }
  return join(handle, result, sync::Deadline::none);
}

int pthread_timedjoin_np(pthread_t handle, void** result, const timespec* time) {
  if (sched::thread_of(handle) == nullptr) {
    return home_call("pthread_join",
                     [&] { return WEFT_REAL(pthread_timedjoin_np)(handle, result, time); });
  }
  if (time == nullptr) return join(handle, result, sync::Deadline::none);
  const auto deadline = deadline_of(CLOCK_REALTIME, *time);
  return deadline.is_valid ? join(handle, result, deadline) : EINVAL;
}

int pthread_clockjoin_np(pthread_t handle, void** result, clockid_t clock, const timespec* time) {
  if (sched::thread_of(handle) == nullptr) {
    return home_call("pthread_join",
                     [&] { return WEFT_REAL(pthread_clockjoin_np)(handle, result, clock, time); });
  }
  if (!is_wait_clock(clock)) return EINVAL;
  if (time == nullptr) return join(handle, result, sync::Deadline::none);
  const auto deadline = deadline_of(clock, *time);
  return deadline.is_valid ? join(handle, result, deadline) : EINVAL;
}

int pthread_tryjoin_np(pthread_t handle, void** result) noexcept {
  const sched::Thread* const thread = sched::thread_of(handle);
  if (thread != nullptr && !sched::is_over(*thread)) return EBUSY;
  return WEFT_REAL(pthread_tryjoin_np)(handle, result);
}

int pthread_detach(pthread_t handle) noexcept {
  sched::Thread* const thread = sched::thread_of(handle);
  return thread == nullptr ? WEFT_REAL(pthread_detach)(handle) : sched::detach(thread);
}

void pthread_exit(void* result) {
  // Destructors and cleanup handlers run where libc's end of a thread must be.
  if (fiber::this_fiber != nullptr) {
    sched::go_home("pthread_exit");
    end_of_initial_thread();
  }
  WEFT_REAL(pthread_exit)(result);
  __builtin_unreachable();
}

int pthread_cancel(pthread_t handle) {
  auto* const state = static_cast<ThreadState*>(fiber::variable_of(handle, &thread_state));
  const int error = WEFT_REAL(pthread_cancel)(handle);
  if (error != 0) return error;
  state->cancel_requested.store(true, std::memory_order_seq_cst);
  fiber::Fiber* const fiber = fiber::fiber_of(handle);
  if (fiber != nullptr && fiber->runtime != nullptr) sched::interrupt(*fiber, Interrupt::cancel);
  return 0;
}

void pthread_testcancel() {
  if (!is_fiber()) return WEFT_REAL(pthread_testcancel)();
  act_on_cancellation();
}

int pthread_setcancelstate(int state, int* before) {
  const int error = WEFT_REAL(pthread_setcancelstate)(state, before);
  if (error == 0 && state == PTHREAD_CANCEL_ENABLE && thread_state.cancel_pending) {
    sched::interrupt(fiber::self(), Interrupt::cancel);
  }
  return error;
}

// A thread that may be cancelled anywhere stays where libc's signal finds it.
int pthread_setcanceltype(int type, int* before) {
  const bool at_once = type == PTHREAD_CANCEL_ASYNCHRONOUS;
  if (at_once && is_fiber()) {
    act_on_cancellation();
    stay_home("asynchronous cancellation");
    thread_state.cancel_at_once = true;
  }
  const int error = WEFT_REAL(pthread_setcanceltype)(type, before);
  if (!at_once && thread_state.cancel_at_once) {
    thread_state.cancel_at_once = false;
    leave_home_again();
  }
  return error;
}

// By the kernel thread whose name it is.
int pthread_setname_np(pthread_t handle, const char* name) noexcept {
  // From now on it may be one that stays at home.
  if (pthread_equal(handle, pthread_self()) != 0 && is_fiber() && is_kept_native(name)) {
    stay_home("kept native");
  }
  note_own_attributes();
  return uncancelled_home_call("name", [&] { return WEFT_REAL(pthread_setname_np)(handle, name); });
}

int pthread_getname_np(pthread_t handle, char* name, size_t bytes) noexcept {
  return uncancelled_home_call("name",
                               [&] { return WEFT_REAL(pthread_getname_np)(handle, name, bytes); });
}

int prctl(int option, ...) noexcept {
  va_list list;
  va_start(list, option);
  unsigned long values[4];
  for (unsigned long& value : values) value = va_arg(list, unsigned long);
  va_end(list);
  if (is_about_identity(option)) keep_own_identity();
  if (option == PR_SET_NAME || option == PR_SET_TIMERSLACK) note_own_attributes();
  return uncancelled_home_call("prctl", [&] {
    return WEFT_REAL(prctl)(option, values[0], values[1], values[2], values[3]);
  });
}

int pthread_once(pthread_once_t* once, void (*routine)(void)) {
  return sync::as_once(once).call(routine);
}

}  // extern "C"
