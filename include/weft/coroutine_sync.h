// SPDX-License-Identifier: Apache-2.0
// What coroutines wait with: a mutex that may be held over a co_await, a semaphore, a channel.
//
//   const weft::AsyncMutex::Lock lock = co_await mutex.lock();
//   rows = co_await fetch();                      // on another thread, and the lock is still ours
//
// The mutex and the semaphore serve in the order in which they were asked; all let go of who is
// cancelled. They are for coroutines on any thread, and must outlive those that wait for them; so
// must the contexts of the executors that those run on.
//
// Rejected: the channels of Asio 1.81. One that has room, and whose last waiting receiver is
// cancelled, takes nothing any more: a mutex made of it is lost.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstddef>
#include <deque>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

namespace weft {

namespace coroutine {

// Coroutines that wait, oldest first. Guarded by a lock of whoever owns it.
class WaitQueue {
 public:
  using Guard = std::unique_lock<std::mutex>;
  struct Waiter;

  WaitQueue() = default;
  WaitQueue(const WaitQueue&) = delete;
  WaitQueue& operator=(const WaitQueue&) = delete;

  // Waits to be woken; the lock is held before, and not afterwards. Throws if it is cancelled
  // before it is woken: then nobody has woken it, and nobody will.
  boost::asio::awaitable<void> wait(Guard& guard);
  // False: nobody waits.
  bool wake_one(const Guard& guard) noexcept;
  bool empty() const noexcept { return waiters_.empty(); }

 private:
  std::list<std::shared_ptr<Waiter>> waiters_;
};

}  // namespace coroutine

// So many may hold a permit at the same time.
class AsyncSemaphore {
 public:
  explicit AsyncSemaphore(std::size_t count) noexcept : count_(count) {}
  AsyncSemaphore(const AsyncSemaphore&) = delete;
  AsyncSemaphore& operator=(const AsyncSemaphore&) = delete;

  // Precondition: the semaphore outlives it.
  class [[nodiscard]] Permit {
   public:
    Permit() = default;  // of nothing
    Permit(Permit&& other) noexcept : semaphore_(std::exchange(other.semaphore_, nullptr)) {}
    Permit& operator=(Permit&& other) noexcept {
      std::swap(semaphore_, other.semaphore_);
      return *this;
    }
    ~Permit() { release(); }
    // Earlier than it goes.
    void release() noexcept {
      if (semaphore_ != nullptr) std::exchange(semaphore_, nullptr)->release();
    }

   private:
    friend class AsyncSemaphore;
    explicit Permit(AsyncSemaphore& semaphore) noexcept : semaphore_(&semaphore) {}
    AsyncSemaphore* semaphore_ = nullptr;
  };

  boost::asio::awaitable<Permit> acquire();
  // None: there is no permit left, or others wait for one.
  std::optional<Permit> try_acquire() noexcept;

 private:
  // To who has waited longest, if anybody does.
  void release() noexcept;

  std::mutex mutex_;
  std::size_t count_;             // guarded by mutex_
  coroutine::WaitQueue waiters_;  // the same; while somebody waits, count_ is 0
};

class AsyncMutex {
 public:
  using Lock = AsyncSemaphore::Permit;

  boost::asio::awaitable<Lock> lock() { return one_.acquire(); }
  std::optional<Lock> try_lock() noexcept { return one_.try_acquire(); }

 private:
  AsyncSemaphore one_{1};
};

// First in, first out, of a fixed capacity.
template <class T>
class Channel {
 public:
  // A channel without room takes nothing, so there is room for one at least.
  explicit Channel(std::size_t capacity) : capacity_(capacity == 0 ? 1 : capacity) {}
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  // Waits for room. False: it is closed, and the item is lost.
  boost::asio::awaitable<bool> send(T item) {
    std::unique_lock guard(mutex_);
    while (!closed_ && items_.size() >= capacity_) {
      co_await senders_.wait(guard);
      guard.lock();
    }
    co_return put(guard, item);
  }
  // False: it is full, or closed, and the item is still the caller's.
  bool try_send(T& item) {
    std::unique_lock guard(mutex_);
    return items_.size() < capacity_ && put(guard, item);
  }

  // Waits for an item. None: it is closed and empty.
  boost::asio::awaitable<std::optional<T>> receive() {
    std::unique_lock guard(mutex_);
    while (!closed_ && items_.empty()) {
      co_await receivers_.wait(guard);
      guard.lock();
    }
    if (items_.empty()) co_return std::nullopt;
    std::optional<T> item(std::move(items_.front()));
    items_.pop_front();
    pass_on(guard);
    co_return item;
  }

  // From now on nothing is taken. What is there can be received.
  void close() {
    std::unique_lock guard(mutex_);
    closed_ = true;
    while (senders_.wake_one(guard) || receivers_.wake_one(guard)) {
    }
  }

 private:
  bool put(std::unique_lock<std::mutex>& guard, T& item) {
    if (closed_) return false;
    items_.push_back(std::move(item));
    pass_on(guard);
    return true;
  }
  // Another may have been quicker than who was woken, and have taken what that was woken for; so
  // everybody who leaves wakes the next, as long as there is something to be had.
  void pass_on(std::unique_lock<std::mutex>& guard) noexcept {
    if (!items_.empty()) receivers_.wake_one(guard);
    if (items_.size() < capacity_) senders_.wake_one(guard);
  }

  const std::size_t capacity_;
  std::mutex mutex_;
  std::deque<T> items_;  // guarded by mutex_, as the rest
  bool closed_ = false;
  coroutine::WaitQueue senders_;
  coroutine::WaitQueue receivers_;
};

}  // namespace weft
