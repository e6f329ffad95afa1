// SPDX-License-Identifier: Apache-2.0
// What the child of a fork does before it waits for anything.
#include "sync/generation.h"

#include "sync/condition.h"
#include "sync/futex_table.h"

namespace weft::sync {

void after_fork_in_child() noexcept {
  const std::uint32_t next = (generation() + 1) & ((1U << generation_bits) - 1);
  fork_generation.store(next, std::memory_order_relaxed);
  Condition::forget_locks();
  futex_table::forget_waiters();
}

}  // namespace weft::sync
