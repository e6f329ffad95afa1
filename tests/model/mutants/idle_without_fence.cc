// SPDX-License-Identifier: Apache-2.0
// Mutant: a waker that looks for sleepers before its work can be seen.
#include <gtest/gtest.h>

#include "mutants/mutant.h"
#include "programs/idle.h"

namespace weft::model {
namespace {

struct NoFence {
  static void between_work_and_look() {}
};

TEST(IdleWithoutFence, IsCaught) {
  expect_caught({.planted = "a waker that looks for sleepers before its work can be seen",
                 .found_as = {"deadlock"},
                 .body = idle<NoFence>,
                 .needs_delayed_stores = true});
}

}  // namespace
}  // namespace weft::model
