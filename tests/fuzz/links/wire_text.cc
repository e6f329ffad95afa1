// SPDX-License-Identifier: Apache-2.0
// The schema as a table, and ways to break with it.
#include "links/wire_text.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "links/texts.h"

namespace weft::fuzz {
namespace {

enum class Kind { url, key, name, duration, limit };
struct Field {
  unsigned number;
  Kind kind;
};
struct Method {
  const char* name;
  std::vector<Field> fields;
};

const std::vector<Method>& methods() {
  static const std::vector<Method> all = {
      {"Create", {{1, Kind::url}, {2, Kind::key}, {4, Kind::name}, {3, Kind::duration}}},
      {"Get", {{1, Kind::key}}},
      {"Delete", {{1, Kind::key}}},
      {"Resolve", {{1, Kind::key}}},
      {"List", {{3, Kind::limit}, {1, Kind::key}, {2, Kind::key}}}};
  return all;
}

constexpr std::int64_t integers[] = {60,        1,         2,         0,         -1,
                                     315360000, 315360001, 100,       101,       1000,
                                     INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN, 1'000'000'000};
constexpr unsigned wire_types[] = {0, 1, 2, 3, 4, 5, 6, 7};

std::string varint(std::uint64_t number) {
  std::string text;
  for (; number >= 0x80; number >>= 7U) text += static_cast<char>(number | 0x80U);
  return text + static_cast<char>(number);
}

std::string tag(unsigned number, unsigned type) {
  return varint(std::uint64_t{number} << 3U | type);
}

std::string any_integer(Choices& choices) {
  return varint(static_cast<std::uint64_t>(choices.of(integers)));
}

std::string length_and(Choices& choices, std::string_view text) {
  // Now and then more, or less, than there is.
  const std::size_t length = choices.one_in(64) ? text.size() + choices.byte() - 128 : text.size();
  return varint(length).append(text);
}

std::string duration(Choices& choices) {
  std::string message = tag(1, 0) + any_integer(choices);
  if (choices.one_in(4)) message += tag(2, 0) + any_integer(choices);
  return message;
}

std::string value(Choices& choices, Kind kind) {
  switch (kind) {
    case Kind::url:
      return length_and(choices, url_text(choices));
    case Kind::key:
      return length_and(choices, key_text(choices));
    case Kind::name:
      return length_and(choices, idempotency_text(choices));
    case Kind::duration:
      return length_and(choices, duration(choices));
    case Kind::limit:
      break;
  }
  return any_integer(choices);
}

std::string field(Choices& choices, const Field& shape) {
  const unsigned right = shape.kind == Kind::limit ? 0 : 2;
  const unsigned type = choices.one_in(32) ? choices.of(wire_types) : right;
  const unsigned number = choices.one_in(32) ? choices.byte() * 1000 : shape.number;
  return tag(number, type) + value(choices, shape.kind);
}

std::string message(Choices& choices, const Method& method) {
  const unsigned how = choices.below(16);
  if (how == 15) return std::string(choices.literal());
  std::string text = field(choices, method.fields[0]);
  const unsigned also = choices.byte();
  for (std::size_t i = 1; i < method.fields.size(); ++i) {
    if ((also >> i & 1U) != 0) text += field(choices, method.fields[i]);
  }
  for (unsigned more = also >> 6U; more == 3; more = choices.below(4)) {
    text += field(choices, choices.of(method.fields));
  }
  return how == 14 ? changed(choices, text) : text;
}

// More ends the connection, and tests/links/hostile_test.py asks for that.
constexpr std::size_t most_metadata_bytes = 1000;

// What a client of gRPC lets one say: it is checked there, and ends the program.
std::string as_value(std::string text) {
  text.resize(std::min(text.size(), most_metadata_bytes));
  for (char& c : text) c = c >= ' ' && c <= '~' ? c : '~';
  return text;
}

std::pair<std::string, std::string> metadata(Choices& choices) {
  switch (choices.below(6)) {
    case 0:
      return {"traceparent", as_value(trace_text(choices))};
    case 1:
      return {"tracestate", as_value(trace_text(choices))};
    case 2:
      return {"x-request-id", as_value(trace_text(choices))};
    case 3:
      return {"traceparent-bin", hostile_text(choices).substr(0, most_metadata_bytes)};
    case 4:
      return {"x-bin", std::string(choices.literal())};
    default:
      return {"x-name", as_value(hostile_text(choices))};
  }
}

}  // namespace

CallText call_text(Choices& choices) {
  constexpr int times_us[] = {-1'000'000, 0, 1, 100, 300, 1000, 5000};
  CallText call;
  const unsigned which = choices.below(16);
  const Method& method = methods()[which < 8 ? 0 : which % methods().size()];
  call.method = std::string("/weft.links.v1.Links/") + method.name;
  if (choices.one_in(64)) call.method += 'x';
  const unsigned odd = choices.byte();
  if (odd != 255) call.messages.push_back(message(choices, method));
  if (odd == 254) call.messages.push_back(message(choices, method));
  if (odd % 16 == 13) call.time = std::chrono::microseconds(choices.of(times_us));
  for (unsigned left = choices.below(4); left != 0; --left) {
    call.metadata.push_back(metadata(choices));
  }
  return call;
}

}  // namespace weft::fuzz
