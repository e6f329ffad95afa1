// SPDX-License-Identifier: Apache-2.0
// Program: two threads count, and no count is lost.
#pragma once

#include "base/atomic.h"
#include "model/model.h"

namespace weft::model {

struct IncrementAtomically {
  static void increment(atomic<int>& counter) { counter.fetch_add(1); }
};

template <class Policy = IncrementAtomically>
void counter(Program& program) {
  auto& counter = program.make<atomic<int>>(0);
  for (int i = 0; i < 2; ++i) program.thread([&] { Policy::increment(counter); });
  program.finally([&] { check(counter.load() == 2, "an increment was lost"); });
}

}  // namespace weft::model
