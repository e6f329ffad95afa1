// SPDX-License-Identifier: Apache-2.0
// Waits for a condition, and gives up when the work is cancelled.
//
//   std::unique_lock lock(mutex);
//   if (!weft::wait(condition, lock, token, [&] { return is_ready; })) token.check();
//
// For any condition with any lock that can be tried: the standard library's, the fibers'.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <stop_token>

#include <weft/cancel.h>

namespace weft {

namespace cancel {

// Who waits with a lock must be told under it, or may be told between its look and its sleep. But
// who cancels must not wait for the lock: it may be the thread of all deadlines, and who holds the
// lock may wait for one. So the lock is tried, and if it is held, tried again by another thread,
// now and then, for all of those.
class Wake {
 public:
  Wake() = default;
  Wake(const Wake&) = delete;
  Wake& operator=(const Wake&) = delete;

  // Tells, now or soon. Once.
  void begin() noexcept;
  // From now on nothing is told: it is not running.
  void end() noexcept;

  // False: the lock is held.
  virtual bool try_to_tell() noexcept = 0;

 protected:
  ~Wake() = default;

 private:
  friend class Wakes;
  Wake* next_ = nullptr;
  bool is_begun_ = false;  // all guarded by the lock of src/cancel/wakes.cc
};

// Tells all who wait for a condition when a token is cancelled.
template <class Condition, class Mutex>
class Waking final : private Wake {
 public:
  Waking(Condition& condition, Mutex& mutex, const CancelToken& token)
      : condition_(condition), mutex_(mutex) {
    callback_.emplace(token.stop_token(), Begin{this});
  }
  ~Waking() {
    callback_.reset();  // so that nothing begins any more
    end();
  }

 private:
  struct Begin {
    Wake* wake;
    void operator()() const noexcept { wake->begin(); }
  };
  bool try_to_tell() noexcept override {
    if (!mutex_.try_lock()) return false;
    mutex_.unlock();
    condition_.notify_all();
    return true;
  }

  Condition& condition_;
  Mutex& mutex_;
  std::optional<std::stop_callback<Begin>> callback_;
};

}  // namespace cancel

// Answers whether the predicate holds, under the lock; false: the token was cancelled before.
template <class Condition, class Mutex, class Predicate>
bool wait(Condition& condition, std::unique_lock<Mutex>& lock, const CancelToken& token,
          Predicate predicate) {
  if (predicate()) return true;
  if (!token.stop_token().stop_possible()) {
    while (!predicate()) condition.wait(lock);
    return true;
  }
  const cancel::Waking<Condition, Mutex> waking(condition, *lock.mutex(), token);
  while (!predicate()) {
    if (token.is_cancelled()) return false;
    condition.wait(lock);
  }
  return true;
}

// The same, until then at most.
template <class Condition, class Mutex, class Predicate>
bool wait_until(Condition& condition, std::unique_lock<Mutex>& lock, const CancelToken& token,
                std::chrono::steady_clock::time_point deadline, Predicate predicate) {
  if (predicate()) return true;
  const cancel::Waking<Condition, Mutex> waking(condition, *lock.mutex(), token);
  while (!predicate()) {
    if (token.is_cancelled() || std::chrono::steady_clock::now() >= deadline) return false;
    condition.wait_until(lock, deadline);
  }
  return true;
}

}  // namespace weft
