// SPDX-License-Identifier: Apache-2.0
// How the body of a request is framed (RFC 9112 6.3), and whether it may be as long.
#pragma once

#include <cstdint>

#include "http/request_head.h"

namespace weft::http {

struct BodyFraming {
  enum class Kind : std::uint8_t { none, length, chunked };
  Kind kind = Kind::none;
  std::uint64_t length = 0;   // of Kind::length; never 0
  bool is_too_large = false;  // 413; how long a chunked body is shows later
};

// Precondition: the head is complete.
inline BodyFraming body_framing(const RequestHead& head, std::uint64_t most_body_bytes) {
  if (head.chunked()) return {BodyFraming::Kind::chunked, 0, false};
  const std::uint64_t length = head.content_length().value_or(0);
  if (length == 0) return {};
  return {BodyFraming::Kind::length, length, length > most_body_bytes};
}

}  // namespace weft::http
