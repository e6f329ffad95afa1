// SPDX-License-Identifier: Apache-2.0
// Waits for a condition, and gives up when the work is cancelled.
//
//   std::unique_lock lock(mutex);
//   if (!weft::wait(condition, lock, token, [&] { return is_ready; })) token.check();
//
// For any condition with any lock: the standard library's, the fibers'.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

#include <weft/cancel.h>

namespace weft {

namespace cancel {

// Tells all who wait for a condition when a token is cancelled. The lock is let go while it comes
// and while it goes: its callback, which may run there and then, takes it.
template <class Condition, class Mutex>
class Waking {
 public:
  Waking(Condition& condition, std::unique_lock<Mutex>& lock, const CancelToken& token)
      : lock_(lock) {
    if (!token.stop_token().stop_possible()) return;
    lock_.unlock();
    callback_.emplace(token.stop_token(), Tell{&condition, lock.mutex()});
    lock_.lock();
  }
  ~Waking() {
    if (!callback_) return;
    lock_.unlock();
    callback_.reset();
    lock_.lock();
  }
  Waking(const Waking&) = delete;
  Waking& operator=(const Waking&) = delete;

 private:
  struct Tell {
    Condition* condition;
    Mutex* mutex;
    void operator()() const {
      // Whoever has looked at the token under the lock waits by now.
      { const std::scoped_lock guard(*mutex); }
      condition->notify_all();
    }
  };
  std::unique_lock<Mutex>& lock_;
  std::optional<std::stop_callback<Tell>> callback_;
};

}  // namespace cancel

// Answers the predicate: false says that the token was cancelled before it held.
template <class Condition, class Mutex, class Predicate>
bool wait(Condition& condition, std::unique_lock<Mutex>& lock, const CancelToken& token,
          Predicate predicate) {
  if (predicate()) return true;
  {
    const cancel::Waking<Condition, Mutex> waking(condition, lock, token);
    while (!predicate() && !token.is_cancelled()) condition.wait(lock);
  }
  return predicate();
}

// The same, until then at most.
template <class Condition, class Mutex, class Predicate>
bool wait_until(Condition& condition, std::unique_lock<Mutex>& lock, const CancelToken& token,
                std::chrono::steady_clock::time_point deadline, Predicate predicate) {
  if (predicate()) return true;
  {
    const cancel::Waking<Condition, Mutex> waking(condition, lock, token);
    while (!predicate() && !token.is_cancelled() &&
           condition.wait_until(lock, deadline) == std::cv_status::no_timeout) {
    }
  }
  return predicate();
}

}  // namespace weft
