// SPDX-License-Identifier: Apache-2.0
// Entity tags (RFC 9110 8.8.3), and how they are compared.
#pragma once

#include <optional>
#include <string_view>

namespace weft::http {

struct EntityTag {
  std::string_view opaque;  // what is between the quotes
  bool is_weak = false;
};

// The whole text as one tag: "a" in quotes, or W/ and the same.
std::optional<EntityTag> parse_entity_tag(std::string_view text) noexcept;

constexpr bool is_strong_match(EntityTag a, EntityTag b) noexcept {
  return !a.is_weak && !b.is_weak && a.opaque == b.opaque;
}
constexpr bool is_weak_match(EntityTag a, EntityTag b) noexcept {
  return a.opaque == b.opaque;
}

// Takes the next tag of a list off the front of `rest`. Nothing: no more, or not a list of tags,
// which `rest` tells: it is empty only at the end of a list.
std::optional<EntityTag> take_entity_tag(std::string_view& rest) noexcept;

}  // namespace weft::http
