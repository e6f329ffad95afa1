// SPDX-License-Identifier: Apache-2.0
// Timers, and clocks of the CPU time of a thread.
//
// The time that carriers spend on a fiber is not counted, as every switch would pay for it. A
// thread whose CPU time somebody asks for goes home for good, where the kernel counts it: its clock
// runs from the first question on.
#include <pthread.h>
#include <sys/resource.h>

#include <csignal>
#include <ctime>

#include "preload/calls.h"
#include "preload/real.h"
#include "preload/signals.h"
#include "preload/thread_timers.h"

namespace weft::preload {
namespace {

constexpr const char* clock_site = "CPU clock of a thread";

}  // namespace
}  // namespace weft::preload

using namespace weft;
using namespace weft::preload;

extern "C" {

int timer_create(clockid_t clock, sigevent* event, timer_t* timer) noexcept {
  if (clock == CLOCK_THREAD_CPUTIME_ID) stay_home(clock_site);
  const bool names_thread = event != nullptr && event->sigev_notify == SIGEV_THREAD_ID;
  fiber::Fiber* const fiber = names_thread ? fiber_by_id(event->_sigev_un._tid) : nullptr;
  return fiber == nullptr ? WEFT_REAL(timer_create)(clock, event, timer)
                          : create_timer(clock, *event, *fiber, timer);
}

int timer_delete(timer_t timer) noexcept {
  const int result = WEFT_REAL(timer_delete)(timer);
  if (result == 0) forget_timer(timer);
  return result;
}

int timer_getoverrun(timer_t timer) noexcept {
  const int counted = overruns_of(timer);
  return counted >= 0 ? counted : WEFT_REAL(timer_getoverrun)(timer);
}

int clock_gettime(clockid_t clock, timespec* time) noexcept {
  if (clock == CLOCK_THREAD_CPUTIME_ID) [[unlikely]]
    stay_home(clock_site);
  return WEFT_REAL(clock_gettime)(clock, time);
}

int pthread_getcpuclockid(pthread_t thread, clockid_t* clock) noexcept {
  if (thread == pthread_self()) {
    stay_home(clock_site);
  } else if (fiber::Fiber* const fiber = fiber_of_thread(thread)) {
    summon_home(*fiber);
  }
  return WEFT_REAL(pthread_getcpuclockid)(thread, clock);
}

int getrusage(__rusage_who_t who, rusage* usage) noexcept {
  if (who == RUSAGE_THREAD) stay_home(clock_site);
  return WEFT_REAL(getrusage)(who, usage);
}

}  // extern "C"
