// SPDX-License-Identifier: Apache-2.0
// What goes around the chunks of a response (RFC 9112 7.1).
//
// A body is any number of { chunk_head(size), data, chunk_end }, then last_chunk; or, with
// trailers, last_chunk_head, field lines, and the empty line.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace weft::http {

inline constexpr std::string_view chunk_end = "\r\n";
inline constexpr std::string_view last_chunk_head = "0\r\n";
inline constexpr std::string_view last_chunk = "0\r\n\r\n";

class ChunkHead {
 public:
  // Precondition: size > 0, as a chunk of nothing ends the body.
  explicit ChunkHead(std::uint64_t size) noexcept;
  std::string_view text() const noexcept { return {bytes_.data(), size_}; }

 private:
  std::array<char, 18> bytes_;  // sixteen digits and the end of the line
  std::size_t size_;
};

}  // namespace weft::http
