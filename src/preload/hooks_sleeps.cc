// SPDX-License-Identifier: Apache-2.0
// Sleeps, and letting others go first.
#include <sched.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>

#include "preload/calls.h"
#include "preload/clocks.h"
#include "preload/durations.h"
#include "preload/readable.h"
#include "preload/real.h"
#include "sched/interrupt.h"
#include "sched/io.h"
#include "sched/park.h"

namespace weft::preload {
namespace {

// Answers 0, or EINTR where a signal's handler has run, and what is left then.
int sleep_for(const timespec& time, timespec* left) {
  const os::Instant end = deadline_in(time);
  act_on_cancellation();
  for (;;) {
    sched::sleep_until(end);
    if (!sched::is_interrupted(fiber::self())) return 0;
    if (act_on_interrupts() != AfterInterrupt::again) break;
  }
  if (left != nullptr) *left = left_until(end);
  return EINTR;
}

// An absolute time of either clock.
int sleep_until(clockid_t clock, const timespec& time) {
  const sync::Deadline deadline = deadline_of(clock, time);
  act_on_cancellation();
  for (;;) {
    const auto until = deadline.park_until();
    if (!until) return 0;
    sched::sleep_until(*until);
    const bool interrupted = sched::is_interrupted(fiber::self());
    if (interrupted && act_on_interrupts() != AfterInterrupt::again) return EINTR;
  }
}

}  // namespace
}  // namespace weft::preload

using namespace weft;
using namespace weft::preload;

extern "C" {

int nanosleep(const timespec* time, timespec* left) {
  if (!is_fiber()) return WEFT_REAL(nanosleep)(time, left);
  if (!is_readable(time)) return answer<int>(-EFAULT);
  if (!is_valid(*time)) return answer<int>(-EINVAL);
  return answer<int>(-sleep_for(*time, left));
}

int clock_nanosleep(clockid_t clock, int flags, const timespec* time, timespec* left) {
  if (!is_fiber()) return WEFT_REAL(clock_nanosleep)(clock, flags, time, left);
  if (!is_wait_clock(clock)) {
    return home_call("clock_nanosleep",
                     [&] { return WEFT_REAL(clock_nanosleep)(clock, flags, time, left); });
  }
  if (!is_readable(time)) return EFAULT;
  if (!is_valid(*time)) return EINVAL;
  return flags == TIMER_ABSTIME ? preload::sleep_until(clock, *time) : sleep_for(*time, left);
}

int usleep(useconds_t microseconds) {
  if (!is_fiber()) return WEFT_REAL(usleep)(microseconds);
  const timespec time{.tv_sec = microseconds / 1'000'000,
                      .tv_nsec = static_cast<long>(microseconds % 1'000'000) * 1000};
  return answer<int>(-sleep_for(time, nullptr));
}

unsigned sleep(unsigned seconds) {
  if (!is_fiber()) return WEFT_REAL(sleep)(seconds);
  timespec left{};
  if (sleep_for({.tv_sec = static_cast<time_t>(seconds), .tv_nsec = 0}, &left) == 0) return 0;
  return static_cast<unsigned>(left.tv_sec) + (left.tv_nsec >= 500'000'000 ? 1U : 0U);
}

int sched_yield() noexcept {
  sched::yield();
  return 0;
}

}  // extern "C"
