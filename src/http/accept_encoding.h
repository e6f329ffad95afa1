// SPDX-License-Identifier: Apache-2.0
// Accept-Encoding (RFC 9110 12.5.3): which of the codings that are there a client is sent.
#pragma once

#include <cstdint>
#include <string_view>

#include "http/request_head.h"

namespace weft::http {

enum class Encoding : std::uint8_t { identity, gzip, zstd, br };

// As Content-Encoding names it; empty for identity.
std::string_view encoding_name(Encoding encoding) noexcept;

// Which codings there are of a thing; identity always is.
class EncodingSet {
 public:
  constexpr void add(Encoding encoding) noexcept { bits_ |= 1U << static_cast<unsigned>(encoding); }
  constexpr bool has(Encoding encoding) const noexcept {
    return (bits_ >> static_cast<unsigned>(encoding) & 1U) != 0;
  }

 private:
  unsigned bits_ = 1U << static_cast<unsigned>(Encoding::identity);
};

// The one of the highest quality; of equals, the one that is smallest as a rule: br, zstd, gzip,
// identity. Identity also where the client refuses all there is: most would rather have it than
// 406.
Encoding choose_encoding(const RequestHead& head, EncodingSet available) noexcept;

}  // namespace weft::http
