// SPDX-License-Identifier: Apache-2.0
// Mutant: an increment in two steps.
#include <gtest/gtest.h>

#include "mutants/mutant.h"
#include "programs/counter.h"

namespace weft::model {
namespace {

struct LoadAndStore {
  static void increment(atomic<int>& counter) { counter.store(counter.load() + 1); }
};

TEST(LostUpdate, IsCaught) {
  expect_caught({.planted = "an increment in two steps",
                 .found_as = {"an increment was lost"},
                 .body = counter<LoadAndStore>});
}

}  // namespace
}  // namespace weft::model
