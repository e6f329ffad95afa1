// SPDX-License-Identifier: Apache-2.0
// Range requests.
#include "http/range.h"

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "http/characters.h"

namespace weft::http {
namespace {

enum class Kind : std::uint8_t { wrong, outside, inside };

// Digits as a number; one that is too large for its type is as good as the largest.
std::optional<std::uint64_t> to_position(std::string_view text) {
  if (text.empty() || !all_of(text, digit_class)) return std::nullopt;
  return base::to_number<std::uint64_t>(text).value_or(UINT64_MAX);
}

// "0-99", "100-" or "-50".
Kind read_range(std::string_view text, std::uint64_t size, ByteRange& range) {
  const auto hyphen = text.find('-');
  if (hyphen == std::string_view::npos) return Kind::wrong;
  const std::string_view first_text = text.substr(0, hyphen);
  const std::string_view last_text = text.substr(hyphen + 1);
  if (first_text.empty()) {
    const auto length = to_position(last_text);
    if (!length) return Kind::wrong;
    if (*length == 0 || size == 0) return Kind::outside;
    range = {size - std::min(*length, size), size - 1};
    return Kind::inside;
  }
  const auto first = to_position(first_text);
  const auto last = last_text.empty() ? UINT64_MAX : to_position(last_text);
  if (!first || !last || *last < *first) return Kind::wrong;
  if (*first >= size) return Kind::outside;
  range = {*first, std::min(*last, size - 1)};
  return Kind::inside;
}

bool overlap(ByteRange a, ByteRange b) {
  return a.first <= b.last && b.first <= a.last;
}

}  // namespace

bool RangeSet::add(ByteRange range) noexcept {
  if (count_ == most) return false;
  ranges_[count_++] = range;
  return true;
}

RangeVerdict parse_range(std::string_view value, std::uint64_t size, RangeSet& set) noexcept {
  const std::string_view unit = "bytes=";
  if (!equals_ignoring_case(value.substr(0, unit.size()), unit)) return RangeVerdict::whole;
  std::string_view rest = value.substr(unit.size());
  set = {};
  std::size_t count = 0;
  while (!rest.empty()) {
    const std::string_view text = take_element(rest);
    if (text.empty()) continue;
    ByteRange range;
    const Kind kind = read_range(text, size, range);
    if (kind == Kind::wrong || ++count > RangeSet::most) return RangeVerdict::whole;
    if (kind == Kind::outside) continue;
    const auto others = set.ranges();
    const bool is_new = std::none_of(others.begin(), others.end(),
                                     [&](ByteRange other) { return overlap(range, other); });
    if (!is_new || !set.add(range)) return RangeVerdict::whole;
  }
  if (count == 0) return RangeVerdict::whole;
  return set.ranges().empty() ? RangeVerdict::unsatisfiable : RangeVerdict::partial;
}

std::string content_range(ByteRange range, std::uint64_t size) {
  return "bytes " + std::to_string(range.first) + '-' + std::to_string(range.last) + '/' +
         std::to_string(size);
}

std::string content_range_of_none(std::uint64_t size) {
  return "bytes */" + std::to_string(size);
}

std::string MultipartRanges::content_type() const {
  return "multipart/byteranges; boundary=" + std::string(boundary_);
}

std::string MultipartRanges::head(std::size_t index) const {
  std::string text = index == 0 ? "--" : "\r\n--";
  text += boundary_;
  if (!media_type_.empty()) text += "\r\nContent-Type: " + std::string(media_type_);
  text += "\r\nContent-Range: " + content_range(set_.ranges()[index], size_) + "\r\n\r\n";
  return text;
}

std::string MultipartRanges::tail() const {
  return "\r\n--" + std::string(boundary_) + "--\r\n";
}

std::uint64_t MultipartRanges::content_length() const {
  std::uint64_t length = tail().size();
  for (std::size_t i = 0; i < set_.ranges().size(); ++i) {
    length += head(i).size() + set_.ranges()[i].size();
  }
  return length;
}

}  // namespace weft::http
