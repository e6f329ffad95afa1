// SPDX-License-Identifier: Apache-2.0
// Unit tests of where a program's words begin.
#include "program_words.h"

#include <gtest/gtest.h>

namespace weft::tool {
namespace {

std::size_t own_words(std::vector<std::string> words) {
  static bool flag = false;
  static std::string value;
  const std::vector<Option> options = {{.name = "--flag", .help = "", .target = &flag},
                                       {.name = "--value", .help = "", .target = &value}};
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  return count_own_words(pointers, options);
}

TEST(ProgramWords, EndAtTheFirstThatIsNoOption) {
  EXPECT_EQ(own_words({}), 0u);
  EXPECT_EQ(own_words({"sleep", "--flag"}), 0u);
  EXPECT_EQ(own_words({"--flag", "sleep", "--flag"}), 1u);
}

TEST(ProgramWords, AValueIsNotTheProgram) {
  EXPECT_EQ(own_words({"--value", "3", "sleep", "1"}), 2u);
  EXPECT_EQ(own_words({"--value=3", "sleep", "1"}), 1u);
  EXPECT_EQ(own_words({"--value"}), 1u);
}

TEST(ProgramWords, EndAtTheHyphens) {
  EXPECT_EQ(own_words({"--flag", "--", "--value", "x"}), 1u);
  EXPECT_EQ(own_words({"--", "--"}), 0u);
}

TEST(ProgramWords, WhatIsUnknownIsStillOurs) {
  EXPECT_EQ(own_words({"--falg", "sleep"}), 1u);
  EXPECT_EQ(own_words({"-h"}), 1u);
  EXPECT_EQ(own_words({"-", "x"}), 0u);
}

}  // namespace
}  // namespace weft::tool
