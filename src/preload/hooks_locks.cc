// SPDX-License-Identifier: Apache-2.0
// Mutexes, read-write locks, spin locks and barriers.
#include <pthread.h>

#include <cerrno>

#include "arch/system_call.h"
#include "preload/calls.h"
#include "preload/clocks.h"
#include "preload/real.h"
#include "sync/barrier.h"
#include "sync/mutex.h"
#include "sync/rwlock.h"

namespace weft::preload {
namespace {

// The kind of a mutex that is ours; -1: it is libc's.
int kind_of(const pthread_mutexattr_t* attributes) {
  if (attributes == nullptr) return PTHREAD_MUTEX_DEFAULT;
  int shared = 0, protocol = 0, robust = 0, kind = 0;
  pthread_mutexattr_getpshared(attributes, &shared);
  pthread_mutexattr_getprotocol(attributes, &protocol);
  pthread_mutexattr_getrobust(attributes, &robust);
  pthread_mutexattr_gettype(attributes, &kind);
  const bool is_plain = shared == PTHREAD_PROCESS_PRIVATE && protocol == PTHREAD_PRIO_NONE &&
                        robust == PTHREAD_MUTEX_STALLED;
  return is_plain ? kind : -1;
}

bool is_shared(const pthread_rwlockattr_t* attributes) {
  int shared = PTHREAD_PROCESS_PRIVATE;
  if (attributes != nullptr) pthread_rwlockattr_getpshared(attributes, &shared);
  return shared != PTHREAD_PROCESS_PRIVATE;
}

constexpr const char* mutex_site = "mutex of libc's";
constexpr const char* rwlock_site = "rwlock of libc's";

}  // namespace
}  // namespace weft::preload

using namespace weft;
using namespace weft::preload;
using sync::as_barrier;
using sync::as_mutex;
using sync::as_rwlock;

extern "C" {

int pthread_mutex_init(pthread_mutex_t* mutex, const pthread_mutexattr_t* attributes) noexcept {
  const int kind = kind_of(attributes);
  if (kind < 0) return WEFT_REAL(pthread_mutex_init)(mutex, attributes);
  return as_mutex(mutex).init(kind);
}

int pthread_mutex_destroy(pthread_mutex_t* mutex) noexcept {
  sync::Mutex& ours = as_mutex(mutex);
  return ours.is_ours() ? ours.destroy() : WEFT_REAL(pthread_mutex_destroy)(mutex);
}

int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  sync::Mutex& ours = as_mutex(mutex);
  if (ours.is_ours()) [[likely]]
    return ours.lock();
  return uncancelled_home_call(mutex_site, [&] { return WEFT_REAL(pthread_mutex_lock)(mutex); });
}

int pthread_mutex_trylock(pthread_mutex_t* mutex) noexcept {
  sync::Mutex& ours = as_mutex(mutex);
  if (ours.is_ours()) return ours.try_lock();
  return uncancelled_home_call(mutex_site, [&] { return WEFT_REAL(pthread_mutex_trylock)(mutex); });
}

int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* time) noexcept {
  sync::Mutex& ours = as_mutex(mutex);
  if (ours.is_ours()) return ours.lock_until(deadline_of(CLOCK_REALTIME, *time));
  return uncancelled_home_call(mutex_site,
                               [&] { return WEFT_REAL(pthread_mutex_timedlock)(mutex, time); });
}

int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock,
                            const timespec* time) noexcept {
  sync::Mutex& ours = as_mutex(mutex);
  if (!ours.is_ours()) {
    return uncancelled_home_call(
        mutex_site, [&] { return WEFT_REAL(pthread_mutex_clocklock)(mutex, clock, time); });
  }
  return is_wait_clock(clock) ? ours.lock_until(deadline_of(clock, *time)) : EINVAL;
}

int pthread_mutex_unlock(pthread_mutex_t* mutex) noexcept {
  sync::Mutex& ours = as_mutex(mutex);
  if (ours.is_ours()) [[likely]]
    return ours.unlock();
  return uncancelled_home_call(mutex_site, [&] { return WEFT_REAL(pthread_mutex_unlock)(mutex); });
}

int pthread_rwlock_init(pthread_rwlock_t* lock, const pthread_rwlockattr_t* attributes) noexcept {
  if (is_shared(attributes)) return WEFT_REAL(pthread_rwlock_init)(lock, attributes);
  int preference = PTHREAD_RWLOCK_DEFAULT_NP;
  if (attributes != nullptr) pthread_rwlockattr_getkind_np(attributes, &preference);
  return as_rwlock(lock).init(preference);
}

int pthread_rwlock_destroy(pthread_rwlock_t* lock) noexcept {
  sync::RwLock& ours = as_rwlock(lock);
  return ours.is_ours() ? ours.destroy() : WEFT_REAL(pthread_rwlock_destroy)(lock);
}

int pthread_rwlock_rdlock(pthread_rwlock_t* lock) noexcept {
  sync::RwLock& ours = as_rwlock(lock);
  if (ours.is_ours()) [[likely]]
    return ours.read_lock();
  return uncancelled_home_call(rwlock_site, [&] { return WEFT_REAL(pthread_rwlock_rdlock)(lock); });
}

int pthread_rwlock_tryrdlock(pthread_rwlock_t* lock) noexcept {
  sync::RwLock& ours = as_rwlock(lock);
  return ours.is_ours() ? ours.try_read_lock() : WEFT_REAL(pthread_rwlock_tryrdlock)(lock);
}

int pthread_rwlock_timedrdlock(pthread_rwlock_t* lock, const timespec* time) noexcept {
  sync::RwLock& ours = as_rwlock(lock);
  if (ours.is_ours()) return ours.read_lock_until(deadline_of(CLOCK_REALTIME, *time));
  return uncancelled_home_call(rwlock_site,
                               [&] { return WEFT_REAL(pthread_rwlock_timedrdlock)(lock, time); });
}

int pthread_rwlock_clockrdlock(pthread_rwlock_t* lock, clockid_t clock,
                               const timespec* time) noexcept {
  sync::RwLock& ours = as_rwlock(lock);
  if (!ours.is_ours()) {
    return uncancelled_home_call(
        rwlock_site, [&] { return WEFT_REAL(pthread_rwlock_clockrdlock)(lock, clock, time); });
  }
  return is_wait_clock(clock) ? ours.read_lock_until(deadline_of(clock, *time)) : EINVAL;
}

int pthread_rwlock_wrlock(pthread_rwlock_t* lock) noexcept {
  sync::RwLock& ours = as_rwlock(lock);
  if (ours.is_ours()) [[likely]]
    return ours.write_lock();
  return uncancelled_home_call(rwlock_site, [&] { return WEFT_REAL(pthread_rwlock_wrlock)(lock); });
}

int pthread_rwlock_trywrlock(pthread_rwlock_t* lock) noexcept {
  sync::RwLock& ours = as_rwlock(lock);
  return ours.is_ours() ? ours.try_write_lock() : WEFT_REAL(pthread_rwlock_trywrlock)(lock);
}

int pthread_rwlock_timedwrlock(pthread_rwlock_t* lock, const timespec* time) noexcept {
  sync::RwLock& ours = as_rwlock(lock);
  if (ours.is_ours()) return ours.write_lock_until(deadline_of(CLOCK_REALTIME, *time));
  return uncancelled_home_call(rwlock_site,
                               [&] { return WEFT_REAL(pthread_rwlock_timedwrlock)(lock, time); });
}

int pthread_rwlock_clockwrlock(pthread_rwlock_t* lock, clockid_t clock,
                               const timespec* time) noexcept {
  sync::RwLock& ours = as_rwlock(lock);
  if (!ours.is_ours()) {
    return uncancelled_home_call(
        rwlock_site, [&] { return WEFT_REAL(pthread_rwlock_clockwrlock)(lock, clock, time); });
  }
  return is_wait_clock(clock) ? ours.write_lock_until(deadline_of(clock, *time)) : EINVAL;
}

int pthread_rwlock_unlock(pthread_rwlock_t* lock) noexcept {
  sync::RwLock& ours = as_rwlock(lock);
  return ours.is_ours() ? ours.unlock() : WEFT_REAL(pthread_rwlock_unlock)(lock);
}

int pthread_spin_lock(pthread_spinlock_t* lock) noexcept {
  // The holder may be a fiber that needs this very worker.
  constexpr int spins_before_yield = 100;
  while (pthread_spin_trylock(lock) != 0) {
    for (int i = 0; i < spins_before_yield && *lock == 0; ++i) arch::relax();
    sched::yield();
  }
  return 0;
}

int pthread_barrier_init(pthread_barrier_t* barrier, const pthread_barrierattr_t* attributes,
                         unsigned count) noexcept {
  int shared = PTHREAD_PROCESS_PRIVATE;
  if (attributes != nullptr) pthread_barrierattr_getpshared(attributes, &shared);
  if (shared != PTHREAD_PROCESS_PRIVATE) {
    return WEFT_REAL(pthread_barrier_init)(barrier, attributes, count);
  }
  return as_barrier(barrier).init(count);
}

int pthread_barrier_destroy(pthread_barrier_t* barrier) noexcept {
  sync::Barrier& ours = as_barrier(barrier);
  return ours.is_ours() ? ours.destroy() : WEFT_REAL(pthread_barrier_destroy)(barrier);
}

int pthread_barrier_wait(pthread_barrier_t* barrier) noexcept {
  sync::Barrier& ours = as_barrier(barrier);
  if (ours.is_ours()) return ours.wait();
  return uncancelled_home_call("barrier of libc's",
                               [&] { return WEFT_REAL(pthread_barrier_wait)(barrier); });
}

}  // extern "C"
