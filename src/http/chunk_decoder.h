// SPDX-License-Identifier: Apache-2.0
// ChunkDecoder: takes a chunked body apart (RFC 9112 7.1), without a copy.
//
//   state      what comes                  next state
//   size       "1f;extension" CRLF         data, or trailer behind a size of 0
//   data       that many bytes             data_end
//   data_end   CRLF                        size
//   trailer    a field line                trailer
//   trailer    CRLF alone                  done
//   any        anything else               failed
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "http/refusal.h"

namespace weft::http {

struct ChunkLimits {
  std::uint32_t line_bytes = 256;             // of one line with a size and its extensions
  std::uint32_t extension_bytes = 16 * 1024;  // of all extensions of a body
  std::uint32_t trailer_bytes = 4 * 1024;     // of all trailers
  std::uint32_t trailer_count = 32;
};

struct BodyStep {
  enum class Kind : std::uint8_t { need_more, data, end, failed };
  Kind kind = Kind::need_more;
  std::size_t consumed = 0;  // bytes of the input that are done with, `data` included
  std::string_view data;     // a piece of the body, within the input
  Refusal refusal;
};

class ChunkDecoder {
 public:
  // A body that says it has more bytes than this is 413.
  explicit ChunkDecoder(std::uint64_t most_body_bytes = 0) noexcept
      : most_body_bytes_(most_body_bytes) {}

  // Precondition: `input` begins with what the last step did not consume. A line is consumed as a
  // whole, so the input must be able to hold one of the lengths that the limits allow. Trailers are
  // checked and dropped.
  BodyStep next(std::string_view input, const ChunkLimits& limits) noexcept;

  std::uint64_t body_bytes() const noexcept { return body_bytes_; }  // as announced so far

 private:
  enum class State : std::uint8_t { size, data, data_end, trailer, done, failed };

  BodyStep fail(std::uint16_t status, std::string_view reason) noexcept;
  // The next line or piece of data; nothing consumed and need_more: the line is not whole yet.
  BodyStep read(std::string_view input, const ChunkLimits& limits) noexcept;
  BodyStep read_size(std::string_view input, const ChunkLimits& limits) noexcept;
  BodyStep read_data(std::string_view input) noexcept;
  BodyStep read_data_end(std::string_view input) noexcept;
  BodyStep read_trailer(std::string_view input, const ChunkLimits& limits) noexcept;

  std::uint64_t most_body_bytes_;
  std::uint64_t body_bytes_ = 0;
  std::uint64_t left_ = 0;  // of this chunk
  std::uint32_t extension_bytes_ = 0;
  std::uint32_t trailer_bytes_ = 0;
  std::uint32_t trailer_count_ = 0;
  State state_ = State::size;
};

}  // namespace weft::http
