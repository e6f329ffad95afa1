// SPDX-License-Identifier: Apache-2.0
// weft::BoundedQueue: first in, first out, of a fixed capacity; the classic monitor.
//
//   weft::BoundedQueue<Request> queue(256);
//   queue.push(std::move(request));              // waits while it is full; false: closed
//   while (auto request = queue.pop()) { … }     // waits while it is empty; none: closed and empty
//
// One lock guards the items, their number and whether it is closed. Who finds it full waits for
// not_full, who finds it empty for not_empty, and each change tells one of those whom it is for.
//
//   open    --close()-->  closed    push refuses, pop gives what is left, and then nothing
//
// Invariants
//   - size() <= capacity.
//   - What push accepted, pop gives exactly once, or the queue's destructor destroys.
//   - Nobody waits in push() while there is room, nor in pop() while there are items, but for the
//     moment it takes to be woken. Nobody waits in a closed queue.
//
// Rejected: one condition for both sides. Each push would have to wake all, as a notify_one() may
// go to another who wants to push.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <limits>
#include <mutex>
#include <optional>
#include <utility>

#include <weft/cancel_wait.h>

namespace weft {

enum class Pushed { accepted, full, closed };

// What the queue waits with. Tests put other locks here, which a scheduler of theirs runs.
struct StandardLocks {
  using Mutex = std::mutex;
  using Condition = std::condition_variable;
  using Clock = std::chrono::steady_clock;
};

template <class T, class Locks = StandardLocks>
class BoundedQueue {
 public:
  using Clock = typename Locks::Clock;
  using Instant = typename Clock::time_point;

  // A queue without room takes nothing, so there is room for one at least. While more than
  // `newest_first_above` wait, the newest comes first: when not all can be served in time, some
  // are.
  explicit BoundedQueue(std::size_t capacity,
                        std::size_t newest_first_above = std::numeric_limits<std::size_t>::max())
      : capacity_(capacity == 0 ? 1 : capacity), newest_first_above_(newest_first_above) {}
  BoundedQueue(const BoundedQueue&) = delete;
  BoundedQueue& operator=(const BoundedQueue&) = delete;

  // Waits for room. False: the queue is closed, and the item is still the caller's.
  bool push(T&& item) {
    std::unique_lock guard(mutex_);
    while (!closed_ && items_.size() >= capacity_) not_full_.wait(guard);
    return put(guard, item) == Pushed::accepted;
  }
  bool push(const T& item) { return push(T(item)); }

  // Whatever it answers but `accepted`, the item is still the caller's.
  Pushed try_push(T&& item) {
    std::unique_lock guard(mutex_);
    return put(guard, item);
  }
  Pushed try_push(const T& item) { return try_push(T(item)); }

  // Waits for room until then; `full` if there is none even so.
  Pushed push_until(T&& item, Instant deadline) {
    std::unique_lock guard(mutex_);
    while (!closed_ && items_.size() >= capacity_ && Clock::now() < deadline) {
      not_full_.wait_until(guard, deadline);
    }
    return put(guard, item);
  }
  Pushed push_for(T&& item, typename Clock::duration patience) {
    return push_until(std::move(item), Clock::now() + patience);
  }

  // Waits for room until the token is cancelled; `full` if there is none even so.
  Pushed push(T&& item, const CancelToken& token) {
    std::unique_lock guard(mutex_);
    wait(not_full_, guard, token, [&] { return closed_ || items_.size() < capacity_; });
    return put(guard, item);
  }

  // Waits for an item. None: the queue is closed and empty, and stays so.
  std::optional<T> pop() {
    std::unique_lock guard(mutex_);
    while (!closed_ && items_.empty()) not_empty_.wait(guard);
    return take(guard);
  }

  // None: there is no item now.
  std::optional<T> try_pop() {
    std::unique_lock guard(mutex_);
    return take(guard);
  }

  // Waits for an item until the token is cancelled.
  std::optional<T> pop(const CancelToken& token) {
    std::unique_lock guard(mutex_);
    wait(not_empty_, guard, token, [&] { return closed_ || !items_.empty(); });
    return take(guard);
  }

  // Waits for an item until then.
  std::optional<T> pop_until(Instant deadline) {
    std::unique_lock guard(mutex_);
    while (!closed_ && items_.empty() && Clock::now() < deadline) {
      not_empty_.wait_until(guard, deadline);
    }
    return take(guard);
  }
  std::optional<T> pop_for(typename Clock::duration patience) {
    return pop_until(Clock::now() + patience);
  }

  void close() {
    {
      const std::scoped_lock guard(mutex_);
      closed_ = true;
    }
    not_full_.notify_all();
    not_empty_.notify_all();
  }

  std::size_t size() const {
    const std::scoped_lock guard(mutex_);
    return items_.size();
  }
  bool closed() const {
    const std::scoped_lock guard(mutex_);
    return closed_;
  }
  std::size_t capacity() const noexcept { return capacity_; }

 private:
  using Guard = std::unique_lock<typename Locks::Mutex>;

  Pushed put(Guard& guard, T& item) {
    if (closed_) return Pushed::closed;
    if (items_.size() >= capacity_) return Pushed::full;
    items_.push_back(std::move(item));
    guard.unlock();
    not_empty_.notify_one();
    return Pushed::accepted;
  }

  std::optional<T> take(Guard& guard) {
    if (items_.empty()) return std::nullopt;
    std::optional<T> item;
    if (items_.size() > newest_first_above_) {
      item.emplace(std::move(items_.back()));
      items_.pop_back();
    } else {
      item.emplace(std::move(items_.front()));
      items_.pop_front();
    }
    guard.unlock();
    not_full_.notify_one();
    return item;
  }

  const std::size_t capacity_;
  const std::size_t newest_first_above_;
  mutable typename Locks::Mutex mutex_;
  typename Locks::Condition not_full_;
  typename Locks::Condition not_empty_;
  std::deque<T> items_;  // guarded by mutex_
  bool closed_ = false;  // guarded by mutex_
};

}  // namespace weft
