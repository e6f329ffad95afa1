// SPDX-License-Identifier: Apache-2.0
// Range requests (RFC 9110 14): which bytes are wanted, and how several parts are sent.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace weft::http {

struct ByteRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;  // included
  constexpr std::uint64_t size() const noexcept { return last - first + 1; }
};

class RangeSet {
 public:
  static constexpr std::size_t most = 16;

  std::span<const ByteRange> ranges() const noexcept { return {ranges_.data(), count_}; }
  bool add(ByteRange range) noexcept;

 private:
  std::array<ByteRange, most> ranges_;
  std::size_t count_ = 0;
};

enum class RangeVerdict : std::uint8_t {
  whole,          // 200: as if there were no Range
  partial,        // 206: the set holds one range or several
  unsatisfiable,  // 416, with content_range_of_none()
};

// Reads the value of Range for something of `size` bytes. Nonsense, another unit than bytes, more
// than 16 ranges, and ranges that overlap get the whole: a server may ignore a Range, and ranges
// that overlap were a way to make one answer a thousand times what it has (RFC 9110 14.2).
RangeVerdict parse_range(std::string_view value, std::uint64_t size, RangeSet& set) noexcept;

// "bytes 0-99/1000", and "bytes */1000" for 416.
std::string content_range(ByteRange range, std::uint64_t size);
std::string content_range_of_none(std::uint64_t size);

// A multipart/byteranges body: before each range its head(), behind the last one tail(). Its length
// is known before any of it is sent.
class MultipartRanges {
 public:
  // Preconditions: all of these outlive it; the boundary is a token that does not occur in the
  // content (random, say).
  MultipartRanges(const RangeSet& set, std::uint64_t size, std::string_view media_type,
                  std::string_view boundary) noexcept
      : set_(set), size_(size), media_type_(media_type), boundary_(boundary) {}

  std::string content_type() const;
  std::string head(std::size_t index) const;
  std::string tail() const;
  std::uint64_t content_length() const;

 private:
  const RangeSet& set_;
  std::uint64_t size_;
  std::string_view media_type_;
  std::string_view boundary_;
};

}  // namespace weft::http
