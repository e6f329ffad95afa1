// SPDX-License-Identifier: Apache-2.0
// The two runs of a command are told side by side, with what to do next.
#include <gtest/gtest.h>

#include "command.h"

namespace weft::demo {
namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(CommandText, HasBothAndTheRatio) {
  const std::string text =
      to_text({.seconds = 2, .cpu_seconds = 1, .switches = 100},
              {.seconds = 1, .cpu_seconds = 1, .switches = 5}, "./server -n | wc");
  EXPECT_TRUE(has(text, "2.00 s")) << text;
  EXPECT_TRUE(has(text, "0.50")) << text;
  EXPECT_TRUE(has(text, "0.05")) << text;
  EXPECT_TRUE(has(text, "weft doctor -- ./server   ")) << text;
  EXPECT_FALSE(has(text, "differ:")) << text;
}

TEST(CommandText, SaysWhereTheExitCodesDiffer) {
  EXPECT_TRUE(has(to_text({.exit_code = 0}, {.exit_code = 139}, "x"), "The exit codes differ"));
}

}  // namespace
}  // namespace weft::demo
