// SPDX-License-Identifier: Apache-2.0
// Lists of choices survive the way to text and back, and nothing else is taken for one.
#include "model/choices.h"

#include <gtest/gtest.h>

namespace weft::model {
namespace {

using Choices = std::vector<std::uint8_t>;

TEST(Choices, AreWrittenShort) {
  EXPECT_EQ(choices_to_text({}), "");
  EXPECT_EQ(choices_to_text(Choices{7}), "7");
  EXPECT_EQ(choices_to_text(Choices{0, 0, 0, 1, 0, 0, 12}), "3x0,1,2x0,12");
}

TEST(Choices, ComeBackAsTheyWere) {
  for (const Choices& choices :
       {Choices{}, Choices{0}, Choices{1, 1}, Choices{0, 0, 5, 31, 31, 0}, Choices(1000, 0)}) {
    EXPECT_EQ(choices_from_text(choices_to_text(choices)), choices);
  }
}

TEST(Choices, RefuseWhatIsNoList) {
  for (const char* text : {",", "1,", ",1", "x1", "0x1", "2x", "2x3x4", "-1", "256", " 1", "1 ",
                           "one", "99999999999x0", "99999999999999999999999x0"}) {
    EXPECT_EQ(choices_from_text(text), std::nullopt) << '"' << text << '"';
  }
}

}  // namespace
}  // namespace weft::model
