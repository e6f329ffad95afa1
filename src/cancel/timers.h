// SPDX-License-Identifier: Apache-2.0
// Timers: one thread that knows all deadlines of the process, and cancels what has passed its own.
//
//   idle  --add()-->  kept  --the time has come-->  fired
//                     kept  --remove()-->           idle
//
// Invariants
//   - heap_[state.timer_index] is that state, for all that are kept; none of another is touched.
//   - The thread sleeps no longer than to the earliest deadline, which is heap_.front()'s. It may
//     wake up sooner, where that was taken out: most are, and nobody is woken up for it, nor for
//     what comes later.
//   - A state takes itself out when it goes; one that is on its way, and waits for the lock to do
//   so,
//     is not fired.
//
// Rejected: a wheel of slots. It takes and gives in constant time, but must be turned; deadlines of
// requests are few enough (those under way) that the heap's depth is not seen beside the lock.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <thread>
#include <vector>

#include "cancel/state.h"

namespace weft::cancel {

class Timers {
 public:
  // The process's. Lives as long as it does: scopes may end in destructors of statics.
  static Timers& shared();

  Timers() = default;
  ~Timers();  // for tests; what is kept is not fired
  Timers(const Timers&) = delete;
  Timers& operator=(const Timers&) = delete;

  // Precondition: it is owned by a shared_ptr. Throws std::system_error where there is no thread to
  // be had.
  void add(State& state);
  // It may be firing at the moment.
  void remove(State& state) noexcept;
  std::size_t size() const;

 private:
  void run();
  void sleep(std::unique_lock<std::mutex>& guard);
  void put(std::size_t index, State& state) noexcept;
  void rise(std::size_t index) noexcept;
  void sink(std::size_t index) noexcept;
  void take(std::size_t index) noexcept;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_.
  std::vector<State*> heap_;
  State::Instant wakes_at_ = State::Instant::min();  // by itself; min(): it is up, and looks
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace weft::cancel
