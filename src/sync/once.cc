// SPDX-License-Identifier: Apache-2.0
// The first call of a routine.
#include "sync/once.h"

#include <limits>

#include "sync/futex_table.h"
#include "sync/generation.h"

namespace weft::sync {

int Once::call_slow(void (*routine)()) {
  const std::uint32_t begun = in_progress | generation() << 2U;
  std::uint32_t state = state_.load(std::memory_order_acquire);
  while (state != done) {
    if (state == begun) {
      futex_table::wait(state_, begun, futex_table::any_bit, Deadline::none, fiber::ParkKind::once);
      state = state_.load(std::memory_order_acquire);
    } else if (state_.compare_exchange_weak(state, begun, std::memory_order_acquire)) {
      try {
        routine();
      } catch (...) {
        finish(not_begun);
        throw;
      }
      finish(done);
      return 0;
    }
  }
  return 0;
}

void Once::finish(std::uint32_t state) noexcept {
  // Pairs with the loads in call() and call_slow(). The last touch: for the table it is an address.
  state_.store(state, std::memory_order_release);
  futex_table::wake(state_, std::numeric_limits<int>::max());
}

}  // namespace weft::sync
