// SPDX-License-Identifier: Apache-2.0
// Timeouts as text, and back.
#include "wire/timeout.h"

#include <gtest/gtest.h>

namespace weft::wire {
namespace {

using namespace std::chrono_literals;

TEST(Timeout, ReadsAllUnits) {
  EXPECT_EQ(parse_timeout("1n"), 1ns);
  EXPECT_EQ(parse_timeout("20u"), 20us);
  EXPECT_EQ(parse_timeout("250m"), 250ms);
  EXPECT_EQ(parse_timeout("3S"), 3s);
  EXPECT_EQ(parse_timeout("4M"), 4min);
  EXPECT_EQ(parse_timeout("5H"), 5h);
  EXPECT_EQ(parse_timeout("0m"), 0ms);
  EXPECT_EQ(parse_timeout("99999999m"), 99'999'999ms);
}

TEST(Timeout, WhatDoesNotFitIsAYear) {
  EXPECT_EQ(parse_timeout("99999999H"), 24h * 365);
}

TEST(Timeout, RefusesEverythingElse) {
  for (const char* const text : {"", "m", "250", "250ms", "250s", "250h", "-1m", "+1m", " 1m",
                                 "1m ", "1 m", "1.5S", "0x1m", "123456789n", "1m,2m", "m1"}) {
    EXPECT_FALSE(parse_timeout(text)) << text;
  }
}

TEST(Timeout, WritesWhatItReads) {
  EXPECT_EQ(timeout_text(250ms), "250000u");
  EXPECT_EQ(timeout_text(99'999'999ns), "99999999n");
  EXPECT_EQ(timeout_text(30s), "30000000u");
  EXPECT_EQ(timeout_text(24h * 365), "31536000S");
  EXPECT_EQ(timeout_text(-1s), "0n");
  for (const auto duration : {1ns, 12'345'678'901ns, 987'654'321'012'345ns}) {
    const auto read = parse_timeout(timeout_text(duration));
    ASSERT_TRUE(read);
    EXPECT_LE(*read, duration);
    EXPECT_GE(*read, duration - duration / 100'000);
  }
}

}  // namespace
}  // namespace weft::wire
