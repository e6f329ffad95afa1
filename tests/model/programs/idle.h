// SPDX-License-Identifier: Apache-2.0
// Program: a worker goes idle while work arrives, which wakes it only if it says that it sleeps.
#pragma once

#include "base/atomic.h"
#include "model/model.h"

namespace weft::model {

// Pairs with the worker's fence: one of the two sees what the other has stored.
struct FenceBeforeLookingForSleepers {
  static void between_work_and_look() { base::atomic_thread_fence(std::memory_order_seq_cst); }
};

template <class Policy = FenceBeforeLookingForSleepers>
void idle(Program& program) {
  struct State {
    atomic<int> work{0};
    atomic<int> asleep{0};
  };
  auto& state = program.make<State>();
  program.thread([&] {
    state.asleep.store(1, std::memory_order_relaxed);
    base::atomic_thread_fence(std::memory_order_seq_cst);
    if (state.work.load(std::memory_order_relaxed) == 0) state.asleep.wait(1);
    check(state.work.load(std::memory_order_relaxed) == 1, "woken without work");
  });
  program.thread([&] {
    state.work.store(1, std::memory_order_relaxed);
    Policy::between_work_and_look();
    if (state.asleep.load(std::memory_order_relaxed) == 0) return;
    state.asleep.store(0, std::memory_order_release);
    state.asleep.notify_one();
  });
}

}  // namespace weft::model
