// SPDX-License-Identifier: Apache-2.0
// Peers come and go.
#include "serve/peer_counts.h"

#include <gtest/gtest.h>

namespace weft::serve {
namespace {

TEST(PeerCountsTest, EachHasItsOwnLimit) {
  PeerCounts counts(2);
  EXPECT_TRUE(counts.enter("a"));
  EXPECT_TRUE(counts.enter("a"));
  EXPECT_FALSE(counts.enter("a"));
  EXPECT_TRUE(counts.enter("b"));
  counts.leave("a");
  EXPECT_TRUE(counts.enter("a"));
  EXPECT_FALSE(counts.enter("a"));
}

TEST(PeerCountsTest, WhoIsGoneIsForgotten) {
  PeerCounts counts(2);
  EXPECT_TRUE(counts.enter("a"));
  EXPECT_TRUE(counts.enter("b"));
  EXPECT_TRUE(counts.enter("b"));
  EXPECT_FALSE(counts.enter("b"));
  EXPECT_EQ(counts.peers(), 2U);
  counts.leave("a");
  counts.leave("b");
  EXPECT_EQ(counts.peers(), 1U);
  counts.leave("b");
  EXPECT_EQ(counts.peers(), 0U);
}

TEST(PeerCountsTest, NobodyIsLetInWhereNoneAreAllowed) {
  PeerCounts counts(0);
  EXPECT_FALSE(counts.enter("a"));
  EXPECT_EQ(counts.peers(), 0U);
}

}  // namespace
}  // namespace weft::serve
