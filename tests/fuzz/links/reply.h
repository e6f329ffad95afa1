// SPDX-License-Identifier: Apache-2.0
// Reply: what came back over HTTP, read by its letters.
#pragma once

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "property.h"

namespace weft::fuzz {

struct Reply {
  unsigned status = 0;
  bool is_to_head = false;  // so that it has no body
  std::vector<std::pair<std::string, std::string>> fields;
  std::string body;

  // None, or the only one.
  std::optional<std::string> field(std::string_view name) const {
    std::optional<std::string> found;
    for (const auto& [each, value] : fields) {
      if (each != name) continue;
      require(!found, "a field of a response is there once");
      found = value;
    }
    return found;
  }
};

// All of the text is one response. Nothing in it breaks out of its line.
inline Reply read_reply(std::string_view text, bool is_to_head) {
  const auto line = [&] {
    const std::size_t end = text.find("\r\n");
    require(end != std::string_view::npos, "a line of a head ends");
    const std::string_view taken = text.substr(0, end);
    text.remove_prefix(end + 2);
    const auto is_tame = [](char c) { return c >= ' ' && c <= '~'; };
    require(std::ranges::all_of(taken, is_tame), "a head is visible ASCII");
    return taken;
  };
  Reply reply;
  reply.is_to_head = is_to_head;
  const std::string_view first = line();
  require(first.starts_with("HTTP/1.1 ") && first.size() > 12, "a response begins like one");
  std::from_chars(first.data() + 9, first.data() + 12, reply.status);
  for (std::string_view each = line(); !each.empty(); each = line()) {
    const std::size_t colon = each.find(": ");
    require(colon != std::string_view::npos && colon != 0, "a field has a name and a value");
    reply.fields.emplace_back(each.substr(0, colon), each.substr(colon + 2));
  }
  reply.body = text;
  const auto length = reply.field("Content-Length");
  require(length.has_value() == (reply.status != 204), "a body says how long it is");
  const bool has_body = length && !is_to_head;
  require(reply.body.size() == (has_body ? std::stoul(*length) : 0), "and is as long");
  return reply;
}

}  // namespace weft::fuzz
