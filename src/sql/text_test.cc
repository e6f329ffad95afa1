// SPDX-License-Identifier: Apache-2.0
// UTF-8, placeholders and messages.
#include "sql/text.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace weft::sql {
namespace {

TEST(PlainText, IsUtf8WithoutNul) {
  const std::vector<std::string> good = {"",
                                         "a",
                                         "\x7f",
                                         "\xc2\x80",
                                         "\xdf\xbf",
                                         "\xe0\xa0\x80",
                                         "\xed\x9f\xbf",
                                         "\xee\x80\x80",
                                         "\xf0\x90\x80\x80",
                                         "\xf4\x8f\xbf\xbf"};
  for (const std::string& text : good) EXPECT_TRUE(is_plain_text("x" + text + "y")) << text;
  const std::vector<std::string> bad = {
      std::string(1, '\0'), "\x80",         "\xc0\x80", "\xc1\xbf",         "\xc2",
      "\xe0\x9f\xbf",       "\xed\xa0\x80", "\xe2\x82", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80",
      "\xf5\x80\x80\x80",   "\xff"};
  for (const std::string& text : bad) {
    EXPECT_FALSE(is_plain_text("x" + text));
    EXPECT_FALSE(is_plain_text("x" + text + "y"));
  }
}

std::string numbered(std::string_view statement) {
  return with_numbered_placeholders(statement).statement;
}

TEST(Placeholders, AreNumbered) {
  EXPECT_EQ(numbered("SELECT ?, ? WHERE x=?"), "SELECT $1, $2 WHERE x=$3");
  EXPECT_EQ(with_numbered_placeholders("?,?,?").placeholders, 3U);
  EXPECT_EQ(with_numbered_placeholders("").placeholders, 0U);
}

TEST(Placeholders, InWhatIsNotCodeStay) {
  const std::vector<std::string> unchanged = {
      "'?'",
      "'it''s ?'",
      "'\\'",
      "\"a ? \"\" ?\"",
      "-- ?",
      "/* ? */",
      "/* /* ? */ ? */",
      "$$ ? $$",
      "$tag$ ? $$ ? $tag$",
      "E'\\' ?'",
      "e'\\\\'",
      "'never closed ?",
      "/* never closed ?",
      "$x$ never closed ?",
  };
  for (const std::string& text : unchanged) EXPECT_EQ(numbered(text), text);
}

TEST(Placeholders, AreFoundAgainAfterIt) {
  EXPECT_EQ(numbered("'\\' ?"), "'\\' $1");
  EXPECT_EQ(numbered("E'\\\\' ?"), "E'\\\\' $1");
  EXPECT_EQ(numbered("-- ?\n?"), "-- ?\n$1");
  EXPECT_EQ(numbered("/* ? */?/* ? */?"), "/* ? */$1/* ? */$2");
  EXPECT_EQ(numbered("$$?$$ ? $a$?$a$"), "$$?$$ $1 $a$?$a$");
  EXPECT_EQ(numbered("name$a$ ? name$a$"), "name$a$ $1 name$a$");
  EXPECT_EQ(numbered("nameE'\\' ?"), "nameE'\\' $1");
  EXPECT_EQ(numbered("a-?/?*?"), "a-$1/$2*$3");
  EXPECT_EQ(numbered("$1 ?"), "$1 $1");
}

TEST(Parameters, AreCounted) {
  EXPECT_NO_THROW(check_count(2, 2));
  EXPECT_THROW(check_count(2, 1), Error);
}

TEST(Messages, LoseWhatTheyQuote) {
  EXPECT_EQ(without_quoted("no value"), "no value");
  EXPECT_EQ(without_quoted("bad 'x' for 'y' at 1"), "bad '…' at 1");
  EXPECT_EQ(without_quoted("invalid: \"a'b\""), "invalid: \"…\"");
  EXPECT_EQ(without_quoted("cut 'sec"), "cut '…");
  EXPECT_EQ(without_duplicate("Duplicate entry 'a' for key 'b' for key 'PRIMARY'"),
            "Duplicate entry '…' for key 'PRIMARY'");
  EXPECT_EQ(without_duplicate("Duplicate 'a'"), "Duplicate '…'");
}

}  // namespace
}  // namespace weft::sql
