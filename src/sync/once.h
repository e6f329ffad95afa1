// SPDX-License-Identifier: Apache-2.0
// Once: what is in the bytes of a pthread_once_t.
//
//   not begun    --the first to come-->              in progress
//   in progress  --the routine returns-->            done
//   in progress  --an exception leaves it-->         not begun   (and the next one tries)
//   in progress  --seen in the child of a fork-->    not begun   (who did it is not there)
// `done` is 2, as it is for libc. Those who come while it is in progress wait in the futex table.
#pragma once

#include <pthread.h>

#include <cstdint>

#include "base/atomic.h"

namespace weft::sync {

class Once {
 public:
  // Calls the routine, unless somebody has or does; then waits for it. Answers 0. What the routine
  // throws is thrown to the caller.
  int call(void (*routine)()) {
    // Pairs with the store in finish().
    if (state_.load(std::memory_order_acquire) == done) [[likely]]
      return 0;
    return call_slow(routine);
  }

 private:
  static constexpr std::uint32_t not_begun = 0;
  static constexpr std::uint32_t in_progress = 1;  // with the fork generation above
  static constexpr std::uint32_t done = 2;

  int call_slow(void (*routine)());
  void finish(std::uint32_t state) noexcept;

  atomic<std::uint32_t> state_{not_begun};
};
static_assert(sizeof(Once) == sizeof(pthread_once_t) && alignof(Once) <= alignof(pthread_once_t));

inline Once& as_once(pthread_once_t* object) noexcept {
  return *reinterpret_cast<Once*>(object);
}

}  // namespace weft::sync
