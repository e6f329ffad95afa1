// SPDX-License-Identifier: Apache-2.0
// weft::atomic in the `model` preset: std::atomic whose operations are turns that a deterministic
// scheduler gives out.
//
// It has the size and the bytes of std::atomic<T>. On a thread that no scheduler runs it behaves
// like std::atomic with every order seq_cst. compare_exchange_weak never fails without a reason.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <thread>
#include <type_traits>

#include "base/atomic_scheduler.h"

namespace weft::base {

template <class T>
class atomic {
  static_assert(sizeof(T) <= AtomicStore::largest_bytes,
                "the model checker delays stores of at most 16 bytes: make T smaller");
  using Operation = AtomicOperation;
  using Order = std::memory_order;
  static constexpr Order strongest = std::memory_order_seq_cst;

 public:
  using value_type = T;
  using difference_type = std::conditional_t<std::is_pointer_v<T>, std::ptrdiff_t, T>;
  static constexpr bool is_always_lock_free = std::atomic<T>::is_always_lock_free;

  constexpr atomic() noexcept(std::is_nothrow_default_constructible_v<T>) = default;
  constexpr atomic(T value) noexcept : cell_(value) {}  // NOLINT(google-explicit-constructor)
  constexpr ~atomic() {
    if (std::is_constant_evaluated()) return;
    if (atomic_scheduler != nullptr) atomic_scheduler->forget(this);
  }
  atomic(const atomic&) = delete;
  atomic& operator=(const atomic&) = delete;

  bool is_lock_free() const noexcept { return cell_.is_lock_free(); }

  T load(Order order = strongest) const noexcept {
    AtomicScheduler* const scheduler = atomic_scheduler;
    if (scheduler == nullptr) return cell_.load();
    scheduler->take_turn(Operation::load, this, order);
    const void* const delayed = scheduler->delayed_value(this);
    T value = cell_.load();
    if (delayed != nullptr) std::memcpy(&value, delayed, sizeof(T));
    scheduler->note_read(shown(value));
    return value;
  }

  void store(T value, Order order = strongest) noexcept {
    AtomicScheduler* const scheduler = atomic_scheduler;
    if (scheduler == nullptr) return cell_.store(value);
    scheduler->take_turn(Operation::store, this, order);
    const auto write = [](void* cell, const void* bytes) {
      T written = static_cast<atomic*>(cell)->cell_.load();
      std::memcpy(&written, bytes, sizeof(T));
      static_cast<atomic*>(cell)->cell_.store(written);
    };
    scheduler->note_written(shown(value));
    if (!scheduler->delay({this, &value, sizeof(T), write, shown(value)}, order)) {
      cell_.store(value);
    }
  }

  T exchange(T value, Order order = strongest) noexcept {
    return update(Operation::exchange, order, [&] { return cell_.exchange(value); });
  }

  bool compare_exchange_strong(T& expected, T desired, Order success, Order failure) noexcept {
    AtomicScheduler* const scheduler = atomic_scheduler;
    if (scheduler == nullptr) return cell_.compare_exchange_strong(expected, desired);
    scheduler->take_turn(Operation::compare_exchange, this, success);
    static_cast<void>(failure);  // a locked instruction has one order, whether it succeeds or not
    scheduler->note_read(shown(cell_.load()));
    const bool exchanged = cell_.compare_exchange_strong(expected, desired);
    if (exchanged) scheduler->note_written(shown(desired));
    return exchanged;
  }
  bool compare_exchange_strong(T& expected, T desired, Order order = strongest) noexcept {
    return compare_exchange_strong(expected, desired, order, order);
  }
  bool compare_exchange_weak(T& expected, T desired, Order success, Order failure) noexcept {
    return compare_exchange_strong(expected, desired, success, failure);
  }
  bool compare_exchange_weak(T& expected, T desired, Order order = strongest) noexcept {
    return compare_exchange_strong(expected, desired, order, order);
  }

  T fetch_add(difference_type operand, Order order = strongest) noexcept {
    return update(Operation::fetch_add, order, [&] { return cell_.fetch_add(operand); });
  }
  T fetch_sub(difference_type operand, Order order = strongest) noexcept {
    return update(Operation::fetch_sub, order, [&] { return cell_.fetch_sub(operand); });
  }
  T fetch_and(T operand, Order order = strongest) noexcept {
    return update(Operation::fetch_and, order, [&] { return cell_.fetch_and(operand); });
  }
  T fetch_or(T operand, Order order = strongest) noexcept {
    return update(Operation::fetch_or, order, [&] { return cell_.fetch_or(operand); });
  }
  T fetch_xor(T operand, Order order = strongest) noexcept {
    return update(Operation::fetch_xor, order, [&] { return cell_.fetch_xor(operand); });
  }

  void wait(T old, Order order = strongest) const noexcept {
    AtomicScheduler* const scheduler = atomic_scheduler;
    if (scheduler == nullptr) return cell_.wait(old);
    while (block_while(old, no_deadline, order)) continue;
  }
  // One round of wait(), which is what the futex call does: blocks once, if the value is the old
  // one. False: it is not. Precondition: a scheduler runs the calling thread.
  bool block_while(T old, ScheduleTime deadline, Order order = strongest) const noexcept {
    AtomicScheduler* const scheduler = atomic_scheduler;
    scheduler->take_turn(Operation::wait, this, order);
    const T value = cell_.load();
    scheduler->note_read(shown(value));
    if (std::memcmp(&value, &old, sizeof(T)) != 0) return false;
    scheduler->block_on(this, deadline);
    return true;
  }
  void notify_one() noexcept {
    AtomicScheduler* const scheduler = atomic_scheduler;
    if (scheduler == nullptr) return cell_.notify_one();
    scheduler->take_turn(Operation::notify_one, this, strongest);
    scheduler->wake(this, 1);
  }
  void notify_all() noexcept {
    AtomicScheduler* const scheduler = atomic_scheduler;
    if (scheduler == nullptr) return cell_.notify_all();
    scheduler->take_turn(Operation::notify_all, this, strongest);
    scheduler->wake(this, std::numeric_limits<std::size_t>::max());
  }

  operator T() const noexcept { return load(); }  // NOLINT(google-explicit-constructor)
  T operator=(T value) noexcept {                 // NOLINT(misc-unconventional-assign-operator)
    store(value);
    return value;
  }
  T operator++(int) noexcept { return fetch_add(1); }
  T operator--(int) noexcept { return fetch_sub(1); }
  T operator++() noexcept { return static_cast<T>(fetch_add(1) + 1); }
  T operator--() noexcept { return static_cast<T>(fetch_sub(1) - 1); }
  T operator+=(difference_type operand) noexcept {
    return static_cast<T>(fetch_add(operand) + operand);
  }
  T operator-=(difference_type operand) noexcept {
    return static_cast<T>(fetch_sub(operand) - operand);
  }
  T operator&=(T operand) noexcept { return static_cast<T>(fetch_and(operand) & operand); }
  T operator|=(T operand) noexcept { return static_cast<T>(fetch_or(operand) | operand); }
  T operator^=(T operand) noexcept { return static_cast<T>(fetch_xor(operand) ^ operand); }

 private:
  template <class Change>
  T update(Operation operation, Order order, Change change) noexcept {
    AtomicScheduler* const scheduler = atomic_scheduler;
    if (scheduler == nullptr) return change();
    scheduler->take_turn(operation, this, order);
    const T before = change();
    scheduler->note_read(shown(before));
    scheduler->note_written(shown(cell_.load()));
    return before;
  }

  static AtomicValue shown(const T& value) noexcept {
    AtomicValue result{.is_pointer = std::is_pointer_v<T>};
    std::memcpy(&result.bits, &value, sizeof(T) < 8 ? sizeof(T) : 8);
    return result;
  }

  std::atomic<T> cell_{};
};

inline void atomic_thread_fence(std::memory_order order) noexcept {
  if (atomic_scheduler == nullptr) return std::atomic_thread_fence(std::memory_order_seq_cst);
  atomic_scheduler->take_turn(AtomicOperation::fence, nullptr, order);
}

// Says that the caller spins until another thread has done something.
inline void yield() noexcept {
  if (atomic_scheduler == nullptr) return std::this_thread::yield();
  atomic_scheduler->yield();
}

}  // namespace weft::base

namespace weft {
using base::atomic;
}  // namespace weft
