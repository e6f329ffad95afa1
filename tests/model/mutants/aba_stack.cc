// SPDX-License-Identifier: Apache-2.0
// Mutant: a stack without versions takes a node that came back for one that never left.
#include <gtest/gtest.h>

#include "mutants/mutant.h"
#include "programs/stack.h"

namespace weft::model {
namespace {

struct NoVersions {
  static std::uint16_t after(std::uint16_t version) { return version; }
};

TEST(AbaStack, IsCaught) {
  expect_caught(
      {.planted = "a stack without versions takes a node that came back for one that never left",
       .found_as = {"owner"},
       .body = stack<NoVersions>});
}

}  // namespace
}  // namespace weft::model
