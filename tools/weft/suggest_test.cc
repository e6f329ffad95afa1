// SPDX-License-Identifier: Apache-2.0
// The suggestion is the word that was meant, and nothing where none was.
#include "suggest.h"

#include <gtest/gtest.h>

namespace weft::tool {
namespace {

TEST(Suggest, CountsChangesAndSwaps) {
  EXPECT_EQ(edit_distance("", ""), 0U);
  EXPECT_EQ(edit_distance("budget", "budget"), 0U);
  EXPECT_EQ(edit_distance("budgt", "budget"), 1U);
  EXPECT_EQ(edit_distance("bugdet", "budget"), 1U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
}

TEST(Suggest, FindsWhatWasMeant) {
  const std::vector<std::string> known{"budget", "bench", "help"};
  EXPECT_EQ(nearest("bugdet", known), "budget");
  EXPECT_EQ(nearest("benhc", known), "bench");
  EXPECT_EQ(nearest("hlep", known), "help");
  EXPECT_EQ(did_you_mean("bugdet", known), " Did you mean 'budget'?");
}

TEST(Suggest, IsSilentWhenNothingIsNear) {
  EXPECT_EQ(nearest("frobnicate", {"budget", "bench", "help"}), "");
  EXPECT_EQ(did_you_mean("xyz", {"budget"}), "");
}

}  // namespace
}  // namespace weft::tool
