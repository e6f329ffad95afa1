// SPDX-License-Identifier: Apache-2.0
// Which bytes a Range means, and how parts are written.
#include "http/range.h"

#include <gtest/gtest.h>

#include <string>

namespace weft::http {
namespace {

// "0-99,200-" of so many bytes as "0-99 200-999", "whole" or "none".
std::string ranges(std::string_view value, std::uint64_t size = 1000) {
  RangeSet set;
  switch (parse_range(value, size, set)) {
    case RangeVerdict::whole:
      return "whole";
    case RangeVerdict::unsatisfiable:
      return "none";
    case RangeVerdict::partial:
      break;
  }
  std::string text;
  for (const ByteRange range : set.ranges()) {
    if (!text.empty()) text += ' ';
    text += std::to_string(range.first) + "-" + std::to_string(range.last);
  }
  return text;
}

TEST(RangeTest, RangesAreWithinTheContent) {
  EXPECT_EQ(ranges("bytes=0-99"), "0-99");
  EXPECT_EQ(ranges("bytes=100-"), "100-999");
  EXPECT_EQ(ranges("bytes=-100"), "900-999");
  EXPECT_EQ(ranges("bytes=-9999"), "0-999");
  EXPECT_EQ(ranges("bytes=999-99999999999999999999999"), "999-999");
  EXPECT_EQ(ranges("BYTES=20-29 , 0-9"), "20-29 0-9");
  EXPECT_EQ(ranges("bytes=1000-,5-5"), "5-5");
}

TEST(RangeTest, NothingOfItIsThere) {
  EXPECT_EQ(ranges("bytes=1000-"), "none");
  EXPECT_EQ(ranges("bytes=-0"), "none");
  EXPECT_EQ(ranges("bytes=0-", 0), "none");
  EXPECT_EQ(ranges("bytes=-5", 0), "none");
}

TEST(RangeTest, NonsenseAndAttacksGetTheWhole) {
  for (const char* value :
       {"", "bytes", "bytes=", "bytes=,", "bytes=-", "bytes=5-4", "bytes=a-b", "items=0-1",
        "bytes=0-1,x", "bytes= =", "bytes=0-5,5-9", "bytes=0-,0-,0-"}) {
    EXPECT_EQ(ranges(value), "whole") << value;
  }
  std::string many = "bytes=";
  for (int i = 0; i < 16; ++i) many += std::to_string(2 * i) + "-" + std::to_string(2 * i) + ",";
  EXPECT_EQ(ranges(many).substr(0, 7), "0-0 2-2");
  EXPECT_EQ(ranges(many + "500-"), "whole");
  EXPECT_EQ(ranges(many + "5000-"), "whole");
}

TEST(RangeTest, ContentRangeIsWritten) {
  EXPECT_EQ(content_range({5, 9}, 20), "bytes 5-9/20");
  EXPECT_EQ(content_range_of_none(20), "bytes */20");
}

TEST(RangeTest, PartsAreAsLongAsWasSaidBefore) {
  RangeSet set;
  ASSERT_EQ(parse_range("bytes=0-1,5-6", 10, set), RangeVerdict::partial);
  const MultipartRanges parts(set, 10, "text/plain", "B");
  const std::string body = parts.head(0) + "ab" + parts.head(1) + "fg" + parts.tail();
  EXPECT_EQ(
      body,
      "--B\r\nContent-Type: text/plain\r\nContent-Range: bytes 0-1/10\r\n\r\nab\r\n"
      "--B\r\nContent-Type: text/plain\r\nContent-Range: bytes 5-6/10\r\n\r\nfg\r\n--B--\r\n");
  EXPECT_EQ(parts.content_length(), body.size());
  EXPECT_EQ(parts.content_type(), "multipart/byteranges; boundary=B");
}

}  // namespace
}  // namespace weft::http
