// SPDX-License-Identifier: Apache-2.0
// Entity tags.
#include "http/entity_tag.h"

#include "http/characters.h"

namespace weft::http {

std::optional<EntityTag> parse_entity_tag(std::string_view text) noexcept {
  const bool is_weak = text.starts_with("W/");
  if (is_weak) text.remove_prefix(2);
  if (text.size() < 2 || text.front() != '"' || text.back() != '"') return std::nullopt;
  const std::string_view opaque = text.substr(1, text.size() - 2);
  if (!all_of(opaque, etag_class)) return std::nullopt;
  return EntityTag{opaque, is_weak};
}

std::optional<EntityTag> take_entity_tag(std::string_view& rest) noexcept {
  while (!rest.empty() && (rest.front() == ',' || rest.front() == ' ' || rest.front() == '\t')) {
    rest.remove_prefix(1);
  }
  const auto open = rest.find('"');
  if (open == std::string_view::npos) return std::nullopt;
  const auto close = rest.find('"', open + 1);
  if (close == std::string_view::npos) return std::nullopt;
  const auto tag = parse_entity_tag(rest.substr(0, close + 1));
  if (!tag) return std::nullopt;
  std::string_view behind = trim_blanks(rest.substr(close + 1));
  if (!behind.empty() && behind.front() != ',') return std::nullopt;
  rest = behind;
  return tag;
}

}  // namespace weft::http
