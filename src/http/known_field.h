// SPDX-License-Identifier: Apache-2.0
// KnownField: the header fields that the server itself looks at, found by their names once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace weft::http {

enum class KnownField : std::uint8_t {
  other,
  accept,
  accept_encoding,
  authorization,
  connection,
  content_encoding,
  content_length,
  content_range,
  content_type,
  cookie,
  expect,
  host,
  if_match,
  if_modified_since,
  if_none_match,
  if_range,
  if_unmodified_since,
  keep_alive,
  origin,
  range,
  referer,
  te,
  trailer,
  transfer_encoding,
  upgrade,
  user_agent,
};
inline constexpr std::size_t known_field_count = 26;

// The field of a name in any case. Precondition: it is a token.
KnownField known_field(std::string_view name) noexcept;

}  // namespace weft::http
