// SPDX-License-Identifier: Apache-2.0
// Patience in the `model` preset: none, so that every schedule in which a lock is taken leads to
// its queue.
#pragma once

namespace weft::sync {

class Patience {
 public:
  bool try_again() noexcept { return false; }
};

template <class IsOver>
void wait_a_moment(IsOver) noexcept {}

}  // namespace weft::sync
