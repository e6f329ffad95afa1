// SPDX-License-Identifier: Apache-2.0
// Mutant: a fence that does not order a store before a load.
#include <gtest/gtest.h>

#include "mutants/mutant.h"
#include "programs/dekker.h"

namespace weft::model {
namespace {

struct WeakFence {
  static void between_store_and_load() { base::atomic_thread_fence(std::memory_order_acq_rel); }
};

TEST(DekkerWithWeakFence, IsCaught) {
  expect_caught({.planted = "a fence that does not order a store before a load",
                 .found_as = {"both missed the other's flag"},
                 .body = dekker<WeakFence>,
                 .needs_delayed_stores = true});
}

}  // namespace
}  // namespace weft::model
