// SPDX-License-Identifier: Apache-2.0
// The grammar.
#include "links/json_text.h"

#include <string_view>

#include "links/texts.h"

namespace weft::fuzz {
namespace {

constexpr std::string_view numbers[] = {
    "60",
    "1",
    "315360000",
    "315360001",
    "0",
    "-1",
    "-0",
    "1.0",
    "6e1",
    "0.5",
    "060",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "-9223372036854775809",
    "18446744073709551615",
    "18446744073709551616",
    "1e999",
    "-1e-999",
    "123456789012345678901234567890123456789012345678901234567890",
    "NaN",
    "Infinity",
    "0x10"};
constexpr std::string_view escapes[] = {
    "\\u0000", "\\ud800", "\\udc00", "\\ud83d\\ude42", "\\ude42\\ud83d", "\\u000a",
    "\\n",     "\\r\\n",  "\\/",     "\\\"",           "\\u0022",        "\\u2028",
    "\\u0085", "\\u00e9", "\\uFFFF", "\\u12",          "\\x41",          "\\"};

// How a text is written: as it is, with what must be escaped, or with more than that.
std::string quoted(Choices& choices, std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  const unsigned manner = choices.below(8);
  std::string json = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool must = byte < ' ' || c == '"' || c == '\\';
    if (manner != 7 && (must || (manner == 6 && byte < 0x80))) {
      json += {'\\', 'u', '0', '0', digits[byte >> 4U], digits[byte & 15U]};
    } else {
      json += c;
    }
  }
  if (manner == 5) json += choices.of(escapes);
  return json + '"';
}

std::string any_value(Choices& choices, int depth);

std::string several(Choices& choices, int depth, char open, char close) {
  std::string json(1, open);
  for (unsigned left = choices.below(4); left != 0; --left) {
    if (open == '{') json += quoted(choices, key_text(choices)) + ':';
    json += any_value(choices, depth + 1);
    if (left != 1) json += ',';
  }
  return json + close;
}

// Deeper than anybody means it.
std::string nest(Choices& choices) {
  const std::size_t depth = std::size_t{1} << choices.below(15);
  const bool is_array = choices.one_in(2);
  std::string json;
  for (std::size_t i = 0; i < depth && json.size() < 20'000; ++i)
    json += is_array ? "[" : "{\"a\":";
  return choices.one_in(2) ? json : json + std::string(depth, is_array ? ']' : '}');
}

std::string any_value(Choices& choices, int depth) {
  constexpr std::string_view words[] = {"null", "true", "false", "nul", "", "\"\""};
  switch (choices.below(depth > 3 ? 3 : 6)) {
    case 0:
      return std::string(choices.of(words));
    case 1:
      return std::string(choices.of(numbers));
    case 2:
      return quoted(choices, choices.one_in(2) ? url_text(choices) : hostile_text(choices));
    case 3:
      return several(choices, depth, '[', ']');
    case 4:
      return several(choices, depth, '{', '}');
    default:
      return nest(choices);
  }
}

std::string member(Choices& choices) {
  const unsigned which = choices.below(8);
  if (which == 7) {
    const std::string name = quoted(choices, hostile_text(choices));
    return name + ':' + any_value(choices, 0);
  }
  const bool is_odd = choices.one_in(8);
  if (which < 4) {
    return "\"url\":" + (is_odd ? any_value(choices, 0) : quoted(choices, url_text(choices)));
  }
  if (which < 6) {
    return "\"key\":" + (is_odd ? any_value(choices, 0) : quoted(choices, key_text(choices)));
  }
  return "\"expires_in_s\":" + (is_odd ? any_value(choices, 0) : std::string(choices.of(numbers)));
}

std::string object(Choices& choices) {
  std::string json = "{\"url\":" + quoted(choices, url_text(choices));
  const unsigned also = choices.below(8);
  if ((also & 1U) != 0) json += ", \"key\": " + quoted(choices, key_text(choices));
  if ((also & 2U) != 0) json += ", \"expires_in_s\": " + std::string(choices.of(numbers));
  if ((also & 4U) != 0) json += "," + member(choices);
  return json + "}";
}

}  // namespace

std::string json_body(Choices& choices) {
  switch (choices.below(16)) {
    case 11: {
      std::string json = "{";
      for (unsigned left = choices.below(6); left != 0; --left) {
        json += member(choices) + (left == 1 ? "" : ",");
      }
      return json + "}";
    }
    case 12:
      return any_value(choices, 0);
    case 13:
      return changed(choices, object(choices));
    case 14: {
      const std::string json = object(choices);
      return json + hostile_text(choices);
    }
    case 15:
      return std::string(choices.literal());
    default:
      return object(choices);
  }
}

}  // namespace weft::fuzz
