// SPDX-License-Identifier: Apache-2.0
// Mutant: no fence between a store and a load.
#include <gtest/gtest.h>

#include "mutants/mutant.h"
#include "programs/dekker.h"

namespace weft::model {
namespace {

struct NoFence {
  static void between_store_and_load() {}
};

TEST(DekkerWithoutFence, IsCaught) {
  expect_caught({.planted = "no fence between a store and a load",
                 .found_as = {"both missed the other's flag"},
                 .body = dekker<NoFence>,
                 .needs_delayed_stores = true});
}

}  // namespace
}  // namespace weft::model
