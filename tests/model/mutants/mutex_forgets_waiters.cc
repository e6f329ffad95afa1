// SPDX-License-Identifier: Apache-2.0
// Mutant: who has waited for a mutex forgets that others may still wait.
#include <gtest/gtest.h>

#include "mutants/mutant.h"
#include "programs/mutex.h"

namespace weft::model {
namespace {

struct ForgetWaiters {
  static constexpr int after_waiting = mutex_taken;
};

TEST(MutexForgetsWaiters, IsCaught) {
  expect_caught({.planted = "who has waited for a mutex forgets that others may still wait",
                 .found_as = {"deadlock"},
                 .body = [](Program& program) { exclusion<Mutex<ForgetWaiters>>(program, 3); }});
}

}  // namespace
}  // namespace weft::model
