// SPDX-License-Identifier: Apache-2.0
// The table of all fibers: records that are used again, but never given back to the system.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fiber/fiber.h"

namespace weft::fiber {

// Records are made in blocks: so many records, and behind them as many stacks for homes to sleep
// on.
struct Block {
  static constexpr std::size_t records = 64;
  static constexpr std::size_t door_stack_bytes = std::size_t{16} * 1024;

  Block* next = nullptr;
  Fiber fibers[records];
};

// A record for the calling kernel thread, with its identity filled in. Aborts when there is no
// memory: a thread that cannot wait cannot go on.
Fiber& adopt() noexcept;

// Gives the record up; the thread that it was for is over.
void release(Fiber& fiber) noexcept;

// Around a fork, so that the child finds the table whole.
void lock_table() noexcept;
void unlock_table() noexcept;

// The newest block, from which all others can be reached; for those who look on.
Block* first_block() noexcept;

// Calls the function with every record that is somebody's.
template <class Function>
void for_each(Function function) {
  for (Block* block = first_block(); block != nullptr; block = block->next) {
    for (Fiber& fiber : block->fibers) {
      if (fiber.place.load(std::memory_order_relaxed) != Place::free) function(fiber);
    }
  }
}

}  // namespace weft::fiber
