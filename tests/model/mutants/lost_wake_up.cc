// SPDX-License-Identifier: Apache-2.0
// Mutant: a sleeper that checks, then sleeps on what it reads afterwards.
#include <gtest/gtest.h>

#include "mutants/mutant.h"
#include "programs/event.h"

namespace weft::model {
namespace {

struct CheckThenSleep {
  static void sleep_until_ready(Event& event) {
    if (event.ready.load()) return;
    event.sequence.wait(event.sequence.load());
  }
};

TEST(LostWakeUp, IsCaught) {
  expect_caught({.planted = "a sleeper that checks, then sleeps on what it reads afterwards",
                 .found_as = {"deadlock"},
                 .body = event<CheckThenSleep>});
}

}  // namespace
}  // namespace weft::model
