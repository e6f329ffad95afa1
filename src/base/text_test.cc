// SPDX-License-Identifier: Apache-2.0
// Lines, fields and numbers, with the shapes that /proc really has.
#include "base/text.h"

#include <gtest/gtest.h>

namespace weft::base {
namespace {

TEST(Text, TrimTakesWhiteSpaceOffBothEnds) {
  EXPECT_EQ(trim(" \t12 3\n"), "12 3");
  EXPECT_EQ(trim(" \n"), "");
  EXPECT_EQ(trim(""), "");
}

TEST(Text, TakeUntilLeavesTheRest) {
  std::string_view rest = "4:cpu,cpuacct:/a:b";
  EXPECT_EQ(take_until(rest, ':'), "4");
  EXPECT_EQ(take_until(rest, ':'), "cpu,cpuacct");
  EXPECT_EQ(rest, "/a:b");
  EXPECT_EQ(take_until(rest, '\n'), "/a:b");
  EXPECT_TRUE(rest.empty());
}

TEST(Text, TakeFieldSkipsRunsOfWhiteSpace) {
  std::string_view rest = "  max \t 100000\n";
  EXPECT_EQ(take_field(rest), "max");
  EXPECT_EQ(take_field(rest), "100000");
  EXPECT_EQ(take_field(rest), "");
  EXPECT_TRUE(rest.empty());
}

TEST(Text, ToNumberTakesTheWholeTextOrNothing) {
  EXPECT_EQ(to_number<int>("-1"), -1);
  EXPECT_EQ(to_number<unsigned>("ff", 16), 255U);
  EXPECT_EQ(to_number<int>("1x"), std::nullopt);
  EXPECT_EQ(to_number<int>(" 1"), std::nullopt);
  EXPECT_EQ(to_number<int>(""), std::nullopt);
  EXPECT_EQ(to_number<int>("99999999999999999999"), std::nullopt);
}

TEST(Text, ToDecimalTakesPlainNumbersOnly) {
  EXPECT_EQ(to_decimal("0.5"), 0.5);
  EXPECT_EQ(to_decimal("12"), 12.0);
  for (const char* text : {"", ".", "1e3", "-1", "+1", "nan", "inf", "1.5.2", "0x10", " 1"}) {
    EXPECT_EQ(to_decimal(text), std::nullopt) << text;
  }
}

TEST(Text, ToTextDropsWhatSaysNothing) {
  EXPECT_EQ(to_text(2), "2");
  EXPECT_EQ(to_text(1.5), "1.5");
  EXPECT_EQ(to_text(0.126), "0.13");
  EXPECT_EQ(to_text(100, 0), "100");
}

TEST(Text, PrintableNeverBreaksTheLine) {
  EXPECT_EQ(printable("lots\n\x1b[31m"), "lots??[31m");
  EXPECT_EQ(printable("abcdef", 3), "abc...");
  EXPECT_EQ(printable("a\xc2\x9b"
                      "b\xc3\xa9"),
            "a??b\xc3\xa9")
      << "the other CSI, and an e acute";
}

}  // namespace
}  // namespace weft::base
