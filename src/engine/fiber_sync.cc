// SPDX-License-Identifier: Apache-2.0
// <weft/fiber_sync.h>: the locks of src/sync in the bytes of the public types.
#include <weft/fiber_sync.h>

#include <pthread.h>
#include <semaphore.h>

#include <algorithm>

#include "sync/barrier.h"
#include "sync/condition.h"
#include "sync/deadline.h"
#include "sync/mutex.h"
#include "sync/rwlock.h"
#include "sync/semaphore.h"

namespace weft {
namespace {

template <class Lock, std::size_t bytes>
Lock& as(std::byte (&storage)[bytes]) noexcept {
  static_assert(sizeof(Lock) == bytes && alignof(Lock) <= 8);
  return *reinterpret_cast<Lock*>(storage);
}

sync::Deadline at(std::chrono::steady_clock::time_point deadline) noexcept {
  return sync::Deadline::at(os::Instant{deadline.time_since_epoch()});
}

}  // namespace

void FiberMutex::lock() noexcept {
  as<sync::Mutex>(storage_).lock();
}
bool FiberMutex::try_lock() noexcept {
  return as<sync::Mutex>(storage_).try_lock() == 0;
}
bool FiberMutex::try_lock_until(std::chrono::steady_clock::time_point deadline) noexcept {
  return as<sync::Mutex>(storage_).lock_until(at(deadline)) == 0;
}
void FiberMutex::unlock() noexcept {
  as<sync::Mutex>(storage_).unlock();
}

void FiberCondition::notify_one() noexcept {
  as<sync::Condition>(storage_).signal();
}
void FiberCondition::notify_all() noexcept {
  as<sync::Condition>(storage_).broadcast();
}
void FiberCondition::wait(std::unique_lock<FiberMutex>& lock) noexcept {
  as<sync::Condition>(storage_).wait(as<sync::Mutex>(lock.mutex()->storage_));
}
std::cv_status FiberCondition::wait_until(std::unique_lock<FiberMutex>& lock,
                                          std::chrono::steady_clock::time_point deadline) noexcept {
  const int error = as<sync::Condition>(storage_).wait_until(
      as<sync::Mutex>(lock.mutex()->storage_), at(deadline));
  return error == 0 ? std::cv_status::no_timeout : std::cv_status::timeout;
}

void FiberSharedMutex::lock() noexcept {
  as<sync::RwLock>(storage_).write_lock();
}
bool FiberSharedMutex::try_lock() noexcept {
  return as<sync::RwLock>(storage_).try_write_lock() == 0;
}
void FiberSharedMutex::unlock() noexcept {
  as<sync::RwLock>(storage_).unlock();
}
void FiberSharedMutex::lock_shared() noexcept {
  as<sync::RwLock>(storage_).read_lock();
}
bool FiberSharedMutex::try_lock_shared() noexcept {
  return as<sync::RwLock>(storage_).try_read_lock() == 0;
}
void FiberSharedMutex::unlock_shared() noexcept {
  as<sync::RwLock>(storage_).unlock();
}

FiberSemaphore::FiberSemaphore(std::uint32_t count) noexcept {
  as<sync::Semaphore>(storage_).init(std::min<std::uint32_t>(count, SEM_VALUE_MAX));
}
void FiberSemaphore::acquire() noexcept {
  as<sync::Semaphore>(storage_).wait();
}
bool FiberSemaphore::try_acquire() noexcept {
  return as<sync::Semaphore>(storage_).try_wait() == 0;
}
bool FiberSemaphore::try_acquire_until(std::chrono::steady_clock::time_point deadline) noexcept {
  return as<sync::Semaphore>(storage_).wait_until(at(deadline)) == 0;
}
void FiberSemaphore::release() noexcept {
  as<sync::Semaphore>(storage_).post();
}

FiberBarrier::FiberBarrier(std::uint32_t count) noexcept {
  as<sync::Barrier>(storage_).init(count);
}
bool FiberBarrier::arrive_and_wait() noexcept {
  return as<sync::Barrier>(storage_).wait() == PTHREAD_BARRIER_SERIAL_THREAD;
}

}  // namespace weft
