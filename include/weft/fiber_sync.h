// SPDX-License-Identifier: Apache-2.0
// Locks that stop a fiber instead of the kernel thread under it, for fibers and other threads
// alike.
//
// They have the members that the standard library's have, and so go with std::lock_guard,
// std::unique_lock and std::shared_lock. Each is a few words of memory; nothing is allocated.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include <weft/fibers.h>

namespace weft {

class FiberMutex {
 public:
  void lock() noexcept;
  bool try_lock() noexcept;
  bool try_lock_until(std::chrono::steady_clock::time_point deadline) noexcept;
  bool try_lock_for(std::chrono::nanoseconds duration) noexcept {
    return try_lock_until(deadline_after(duration));
  }
  void unlock() noexcept;

  FiberMutex() = default;
  FiberMutex(const FiberMutex&) = delete;
  FiberMutex& operator=(const FiberMutex&) = delete;

 private:
  friend class FiberCondition;
  alignas(8) std::byte storage_[40]{};
};

class FiberCondition {
 public:
  void notify_one() noexcept;
  void notify_all() noexcept;
  void wait(std::unique_lock<FiberMutex>& lock) noexcept;
  std::cv_status wait_until(std::unique_lock<FiberMutex>& lock,
                            std::chrono::steady_clock::time_point deadline) noexcept;
  template <class Predicate>
  void wait(std::unique_lock<FiberMutex>& lock, Predicate predicate) {
    while (!predicate()) wait(lock);
  }
  template <class Predicate>
  bool wait_until(std::unique_lock<FiberMutex>& lock,
                  std::chrono::steady_clock::time_point deadline, Predicate predicate) {
    while (!predicate()) {
      if (wait_until(lock, deadline) == std::cv_status::timeout) return predicate();
    }
    return true;
  }
  template <class Predicate>
  bool wait_for(std::unique_lock<FiberMutex>& lock, std::chrono::nanoseconds duration,
                Predicate predicate) {
    return wait_until(lock, deadline_after(duration), predicate);
  }

  FiberCondition() = default;
  FiberCondition(const FiberCondition&) = delete;
  FiberCondition& operator=(const FiberCondition&) = delete;

 private:
  alignas(8) std::byte storage_[48]{};
};

// Writers wait for readers, and do not hold up new ones.
class FiberSharedMutex {
 public:
  void lock() noexcept;
  bool try_lock() noexcept;
  void unlock() noexcept;
  void lock_shared() noexcept;
  bool try_lock_shared() noexcept;
  void unlock_shared() noexcept;

  FiberSharedMutex() = default;
  FiberSharedMutex(const FiberSharedMutex&) = delete;
  FiberSharedMutex& operator=(const FiberSharedMutex&) = delete;

 private:
  alignas(8) std::byte storage_[56]{};
};

class FiberSemaphore {
 public:
  explicit FiberSemaphore(std::uint32_t count) noexcept;
  void acquire() noexcept;
  bool try_acquire() noexcept;
  bool try_acquire_until(std::chrono::steady_clock::time_point deadline) noexcept;
  void release() noexcept;

  FiberSemaphore(const FiberSemaphore&) = delete;
  FiberSemaphore& operator=(const FiberSemaphore&) = delete;

 private:
  alignas(8) std::byte storage_[32]{};
};

// So many threads wait for one another, again and again.
class FiberBarrier {
 public:
  // Precondition: count is not 0.
  explicit FiberBarrier(std::uint32_t count) noexcept;
  // True for exactly one of each round.
  bool arrive_and_wait() noexcept;

  FiberBarrier(const FiberBarrier&) = delete;
  FiberBarrier& operator=(const FiberBarrier&) = delete;

 private:
  alignas(8) std::byte storage_[32]{};
};

}  // namespace weft
