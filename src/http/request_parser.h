// SPDX-License-Identifier: Apache-2.0
// Reads the head of a request (RFC 9112 2 to 6), strictly and in one pass.
//
// What two recipients could read in two ways is refused, not repaired: see
// docs/decisions/014-http-parsing.md for each choice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "http/field_line.h"
#include "http/refusal.h"
#include "http/request_head.h"

namespace weft::http {

struct RequestLimits {
  std::uint32_t request_line_bytes = 8 * 1024;            // more is 414
  std::uint32_t header_bytes = 16 * 1024;                 // of all fields together; more is 431
  std::uint32_t header_count = RequestHead::most_fields;  // no more than that

  // What a buffer must be able to hold.
  constexpr std::size_t head_bytes() const noexcept {
    return std::size_t{request_line_bytes} + header_bytes + 8;
  }
};

// Goes on where the last call with this head stopped. Precondition: `input` holds what it held
// then, at the same place or another, and perhaps more behind it; or else the head was reset.
// Complete: the head took head.size() bytes; what follows is its body or the next request.
Progress parse_request(std::string_view input, const RequestLimits& limits, RequestHead& head,
                       Refusal& refusal) noexcept;

}  // namespace weft::http
