// SPDX-License-Identifier: Apache-2.0
// Program: a lock-free stack of nodes that come back, while another thread is half-way in a pop.
#pragma once

#include <array>
#include <cstdint>

#include "base/atomic.h"
#include "model/model.h"

namespace weft::model {

// The top is a node, and a version that tells one stay of the node on the top from the next.
struct alignas(4) Top {
  std::uint16_t node;
  std::uint16_t version;
};

struct CountVersions {
  static std::uint16_t after(std::uint16_t version) {
    return static_cast<std::uint16_t>(version + 1);
  }
};

template <class Policy = CountVersions>
class Stack {
 public:
  static constexpr std::uint16_t none = 0xffff;

  void push(std::uint16_t node) {
    Top top = top_.load();
    do {
      below_[node].store(top.node, std::memory_order_relaxed);
    } while (!top_.compare_exchange_weak(top, {node, Policy::after(top.version)}));
  }

  std::uint16_t pop() {
    Top top = top_.load();
    while (top.node != none) {
      const std::uint16_t below = below_[top.node].load(std::memory_order_relaxed);
      if (top_.compare_exchange_weak(top, {below, Policy::after(top.version)})) break;
    }
    return top.node;
  }

 private:
  atomic<Top> top_{Top{none, 0}};
  std::array<atomic<std::uint16_t>, 2> below_{};
};

template <class Policy = CountVersions>
void stack(Program& program) {
  struct State {
    Stack<Policy> stack;
    std::array<int, 2> owners{};
    void take(std::uint16_t node) {
      if (node != stack.none) ++owners[node];
    }
  };
  auto& state = program.make<State>();
  state.stack.push(1);
  state.stack.push(0);
  program.thread([&] { state.take(state.stack.pop()); });
  program.thread([&] {
    const std::uint16_t first = state.stack.pop();
    state.take(state.stack.pop());
    if (first != state.stack.none) state.stack.push(first);
  });
  program.finally([&] {
    for (std::uint16_t node = state.stack.pop(); node != state.stack.none;
         node = state.stack.pop()) {
      state.take(node);
      check(state.owners[node] == 1, "a node on the stack has another owner");
    }
    check(state.owners[0] == 1 && state.owners[1] == 1, "a node has no owner, or two");
  });
}

}  // namespace weft::model
