// SPDX-License-Identifier: Apache-2.0
// Program: threads exclude each other by a mutex of three states: free, taken, taken with waiters.
#pragma once

#include "base/atomic.h"
#include "model/model.h"

namespace weft::model {

inline constexpr int mutex_free = 0;
inline constexpr int mutex_taken = 1;
inline constexpr int mutex_contended = 2;

// Who has waited does not know whether others still do, and has to suppose it.
struct SupposeWaiters {
  static constexpr int after_waiting = mutex_contended;
};

template <class Policy = SupposeWaiters>
class Mutex {
 public:
  void lock() {
    int expected = mutex_free;
    if (state_.compare_exchange_strong(expected, mutex_taken)) return;
    for (;;) {
      if (state_.exchange(mutex_contended) == mutex_free) break;
      state_.wait(mutex_contended);
      expected = mutex_free;
      if (state_.compare_exchange_strong(expected, Policy::after_waiting)) break;
    }
  }
  void unlock() {
    if (state_.exchange(mutex_free) == mutex_contended) state_.notify_one();
  }

 private:
  atomic<int> state_{mutex_free};
};

template <class Lock>
void exclusion(Program& program, int threads) {
  struct State {
    Lock lock;
    atomic<int> inside{0};
    int entered = 0;
  };
  auto& state = program.make<State>();
  for (int i = 0; i < threads; ++i) {
    program.thread([&] {
      state.lock.lock();
      check(state.inside.fetch_add(1) == 0, "two threads hold the lock");
      ++state.entered;
      state.inside.fetch_sub(1);
      state.lock.unlock();
    });
  }
  program.finally([&state, threads] { check(state.entered == threads, "a thread did not enter"); });
}

}  // namespace weft::model
