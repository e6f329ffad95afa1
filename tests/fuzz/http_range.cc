// SPDX-License-Identifier: Apache-2.0
// Fuzzed: Range. Ranges lie within, do not overlap, and are read again when written anew.
#include "http/range.h"

#include <string>

#include "property.h"

namespace weft::fuzz {

void try_input(std::string_view text) {
  for (const std::uint64_t size :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1000}, std::uint64_t{INT64_MAX}}) {
    http::RangeSet set;
    if (http::parse_range(text, size, set) != http::RangeVerdict::partial) continue;
    const auto ranges = set.ranges();
    require(!ranges.empty() && ranges.size() <= http::RangeSet::most, "ranges are a few");
    std::uint64_t bytes = 0;
    std::string anew = "bytes=";
    for (const http::ByteRange range : ranges) {
      require(range.first <= range.last && range.last < size, "a range lies within");
      bytes += range.size();
      anew += std::to_string(range.first) + '-' + std::to_string(range.last) + ',';
      require(!http::content_range(range, size).empty(), "a range is written");
    }
    require(bytes <= size, "no more is sent than there is");

    http::RangeSet again;
    require(http::parse_range(anew, size, again) == http::RangeVerdict::partial, "read again");
    require(again.ranges().size() == ranges.size(), "as many");
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      require(again.ranges()[i].first == ranges[i].first, "the same first byte");
      require(again.ranges()[i].last == ranges[i].last, "the same last byte");
    }

    const http::MultipartRanges parts(set, size, "text/plain", "b");
    std::uint64_t length = parts.tail().size() + bytes;
    for (std::size_t i = 0; i < ranges.size(); ++i) length += parts.head(i).size();
    require(parts.content_length() == length, "the length is known before");
  }
}

}  // namespace weft::fuzz
