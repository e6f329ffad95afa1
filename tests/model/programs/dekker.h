// SPDX-License-Identifier: Apache-2.0
// Program: two threads each raise a flag and then look for the other's; not both may miss it.
#pragma once

#include <array>

#include "base/atomic.h"
#include "model/model.h"

namespace weft::model {

struct FullFence {
  static void between_store_and_load() { base::atomic_thread_fence(std::memory_order_seq_cst); }
};

template <class Policy = FullFence>
void dekker(Program& program) {
  struct State {
    std::array<atomic<int>, 2> raised{};
    std::array<int, 2> seen{};
  };
  auto& state = program.make<State>();
  for (std::size_t i = 0; i < 2; ++i) {
    program.thread([&state, i] {
      state.raised[i].store(1, std::memory_order_relaxed);
      Policy::between_store_and_load();
      state.seen[i] = state.raised[1 - i].load(std::memory_order_relaxed);
    });
  }
  program.finally(
      [&] { check(state.seen[0] + state.seen[1] > 0, "both missed the other's flag"); });
}

}  // namespace weft::model
