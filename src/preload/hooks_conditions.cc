// SPDX-License-Identifier: Apache-2.0
// Condition variables and semaphores.
#include <pthread.h>
#include <semaphore.h>

#include <cerrno>

#include "preload/calls.h"
#include "preload/clocks.h"
#include "preload/mixed_conditions.h"
#include "preload/real.h"
#include "sched/interrupt.h"
#include "sync/condition.h"
#include "sync/semaphore.h"

namespace weft::preload {
namespace {

constexpr const char* condition_site = "condition of libc's";
constexpr const char* semaphore_site = "semaphore of libc's";

// A wake-up for no reason is allowed, so one that was interrupted just returns.
int wait(pthread_cond_t* condition, pthread_mutex_t* mutex, const sync::Deadline& deadline) {
  act_on_cancellation();
  sync::Condition& ours = sync::as_condition(condition);
  const sync::Deadline until = deadline.or_interrupt();
  const int error = sync::as_mutex(mutex).is_ours() ? ours.wait_until(sync::as_mutex(mutex), until)
                                                    : wait_with_libcs_mutex(ours, mutex, until);
  // Whoever was signalled must not end with the signal: the next cancellation point will do.
  if (error != ETIMEDOUT || !sched::is_interrupted(fiber::self())) return error;
  static_cast<void>(act_on_interrupts());
  return deadline.park_until() ? 0 : error;
}

bool is_ours(pthread_cond_t* condition) {
  return sync::as_condition(condition).is_ours();
}

// Answers 0, or -1 and errno.
int wait(sem_t* semaphore, const sync::Deadline& deadline) {
  act_on_cancellation();
  for (;;) {
    const int error = sync::as_semaphore(semaphore).wait_until(deadline.or_interrupt());
    if (error == 0) return 0;
    if (error == ETIMEDOUT && deadline.park_until()) {
      if (act_on_interrupts() != AfterInterrupt::fail) continue;
      return answer<int>(-EINTR);
    }
    return answer<int>(-error);
  }
}

}  // namespace
}  // namespace weft::preload

using namespace weft;
using namespace weft::preload;

extern "C" {

int pthread_cond_init(pthread_cond_t* condition, const pthread_condattr_t* attributes) noexcept {
  int shared = PTHREAD_PROCESS_PRIVATE;
  clockid_t clock = CLOCK_REALTIME;
  if (attributes != nullptr) {
    pthread_condattr_getpshared(attributes, &shared);
    pthread_condattr_getclock(attributes, &clock);
  }
  if (shared != PTHREAD_PROCESS_PRIVATE) {
    return WEFT_REAL(pthread_cond_init)(condition, attributes);
  }
  return sync::as_condition(condition).init(clock == CLOCK_MONOTONIC
                                                ? sync::Deadline::Clock::monotonic
                                                : sync::Deadline::Clock::realtime);
}

int pthread_cond_destroy(pthread_cond_t* condition) noexcept {
  sync::Condition& ours = sync::as_condition(condition);
  return ours.is_ours() ? ours.destroy() : WEFT_REAL(pthread_cond_destroy)(condition);
}

int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  if (is_ours(condition)) return wait(condition, mutex, sync::Deadline::none);
  return home_call(condition_site, [&] { return WEFT_REAL(pthread_cond_wait)(condition, mutex); });
}

int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                           const timespec* time) {
  if (!is_ours(condition)) {
    return home_call(condition_site,
                     [&] { return WEFT_REAL(pthread_cond_timedwait)(condition, mutex, time); });
  }
  const auto clock = sync::as_condition(condition).clock();
  return wait(condition, mutex, sync::Deadline::at(clock, *time));
}

int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                           const timespec* time) {
  if (!is_ours(condition)) {
    return home_call(condition_site, [&] {
      return WEFT_REAL(pthread_cond_clockwait)(condition, mutex, clock, time);
    });
  }
  return is_wait_clock(clock) ? wait(condition, mutex, deadline_of(clock, *time)) : EINVAL;
}

int pthread_cond_signal(pthread_cond_t* condition) noexcept {
  sync::Condition& ours = sync::as_condition(condition);
  if (!ours.is_ours()) return WEFT_REAL(pthread_cond_signal)(condition);
  const bool mixed = conditions_are_mixed.load(std::memory_order_seq_cst);
  return mixed ? signal_mixed(ours) : ours.signal();
}

int pthread_cond_broadcast(pthread_cond_t* condition) noexcept {
  sync::Condition& ours = sync::as_condition(condition);
  if (!ours.is_ours()) return WEFT_REAL(pthread_cond_broadcast)(condition);
  const bool mixed = conditions_are_mixed.load(std::memory_order_seq_cst);
  return mixed ? broadcast_mixed(ours) : ours.broadcast();
}

int sem_init(sem_t* semaphore, int shared, unsigned value) noexcept {
  if (shared != 0) return WEFT_REAL(sem_init)(semaphore, shared, value);
  return answer<int>(-sync::as_semaphore(semaphore).init(value));
}

int sem_wait(sem_t* semaphore) {
  if (sync::as_semaphore(semaphore).is_ours()) return wait(semaphore, sync::Deadline::none);
  return home_call(semaphore_site, [&] { return WEFT_REAL(sem_wait)(semaphore); });
}

int sem_trywait(sem_t* semaphore) noexcept {
  sync::Semaphore& ours = sync::as_semaphore(semaphore);
  return ours.is_ours() ? answer<int>(-ours.try_wait()) : WEFT_REAL(sem_trywait)(semaphore);
}

int sem_timedwait(sem_t* semaphore, const timespec* time) {
  if (sync::as_semaphore(semaphore).is_ours()) {
    return wait(semaphore, deadline_of(CLOCK_REALTIME, *time));
  }
  return home_call(semaphore_site, [&] { return WEFT_REAL(sem_timedwait)(semaphore, time); });
}

int sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* time) {
  if (!sync::as_semaphore(semaphore).is_ours()) {
    return home_call(semaphore_site,
                     [&] { return WEFT_REAL(sem_clockwait)(semaphore, clock, time); });
  }
  return is_wait_clock(clock) ? wait(semaphore, deadline_of(clock, *time)) : answer<int>(-EINVAL);
}

int sem_post(sem_t* semaphore) noexcept {
  sync::Semaphore& ours = sync::as_semaphore(semaphore);
  return ours.is_ours() ? answer<int>(-ours.post()) : WEFT_REAL(sem_post)(semaphore);
}

int sem_getvalue(sem_t* semaphore, int* value) noexcept {
  const sync::Semaphore& ours = sync::as_semaphore(semaphore);
  if (!ours.is_ours()) return WEFT_REAL(sem_getvalue)(semaphore, value);
  *value = static_cast<int>(ours.value());
  return 0;
}

}  // extern "C"
