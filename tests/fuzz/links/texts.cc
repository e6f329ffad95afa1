// SPDX-License-Identifier: Apache-2.0
// Tables, and how what is in them is bent.
#include "links/texts.h"

#include <algorithm>

namespace weft::fuzz {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t most_bytes = 20'000;  // more than a body may have

constexpr std::string_view hostile[] = {"'; DROP TABLE links;--"sv,
                                        "' OR '1'='1"sv,
                                        "%' --"sv,
                                        "\"; DELETE FROM links; \""sv,
                                        "?1"sv,
                                        "\r\nSet-Cookie: a=b"sv,
                                        "\r\n\r\nHTTP/1.1 200 OK\r\n\r\n"sv,
                                        "\n"sv,
                                        "\r"sv,
                                        "\t"sv,
                                        "\0"sv,
                                        "\x1b[31m"sv,
                                        "\x07"sv,
                                        "\x7f"sv,
                                        "\xff"sv,
                                        "\xfe\xff"sv,
                                        "\xc0\xaf"sv,
                                        "\xed\xa0\x80"sv,
                                        "\xed\xb0\x80"sv,
                                        "\xf4\x90\x80\x80"sv,
                                        "\xe2\x80\xa8"sv,
                                        "\xe2\x80\xa9"sv,
                                        "\xc2\x85"sv,
                                        "\xe2\x80\xae"sv,
                                        "\xef\xbb\xbf"sv,
                                        "\xf0\x9f\x99\x82"sv,
                                        "\xf0\x9f"sv,
                                        "\xcc\x81"sv,
                                        "%00"sv,
                                        "%0d%0a"sv,
                                        "%2f"sv,
                                        "%252e"sv,
                                        "../../etc/passwd"sv,
                                        "\\"sv,
                                        "\""sv,
                                        "'"sv,
                                        "`"sv,
                                        "<script>"sv,
                                        "{}"sv,
                                        "{0}"sv,
                                        "%s%n"sv,
                                        "${jndi:ldap://a}"sv,
                                        "~"sv,
                                        " "sv,
                                        "+"sv,
                                        "#"sv,
                                        "&"sv,
                                        "@"sv,
                                        ":"sv};

constexpr std::string_view keys[] = {"a", "b", "home", "k_1", "Z-9", "0", "zz", "aa"};
constexpr std::string_view urls[] = {"https://example.org/",
                                     "http://a",
                                     "HTTP://A.example:8080/p?q=1#f",
                                     "https://[::1]:1/",
                                     "https://m\xc3\xbcnchen.example/stra\xc3\x9f"
                                     "e",
                                     "http://a/%0d%0aSet-Cookie:%20x",
                                     "https://user:secret@example.org/",
                                     "javascript:alert(1)",
                                     "http://a:0/",
                                     "http://a:65536/",
                                     "http://",
                                     "//a/"};
constexpr std::string_view names[] = {"n1", "n2", "order-17", "!~", "a/b"};
constexpr std::string_view traces[] = {
    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    "00-00000000000000000000000000000000-0000000000000000-00",
    "cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
    "a=1,b=2",
    "a=1,a=1",
    "vendor@name=opaque value",
    "=,=,",
    "order-17"};

std::string repeated(std::string_view text, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i < times && all.size() + text.size() <= most_bytes; ++i) all += text;
  return all;
}

// One of a table, and now and then something else.
template <std::size_t size>
std::string mostly(Choices& choices, const std::string_view (&table)[size]) {
  switch (choices.below(8)) {
    case 5:
      return hostile_text(choices);
    case 6:
      return changed(choices, std::string(choices.of(table)));
    case 7:
      return std::string(choices.literal());
    default:
      return std::string(choices.of(table));
  }
}

}  // namespace

std::string hostile_text(Choices& choices) {
  const std::string_view piece = choices.of(hostile);
  switch (choices.below(4)) {
    case 1:
      return repeated(piece, std::size_t{1} << choices.below(15));
    case 2:
      return repeated("k", choices.byte()) + std::string(piece);
    case 3: {  // around the limits of keys, names, URLs and bodies
      const std::size_t limit = std::size_t{64} << choices.below(9);
      return repeated("k", limit + choices.below(5) - 2);
    }
    default:
      return std::string(piece);
  }
}

std::string key_text(Choices& choices) {
  return mostly(choices, keys);
}
std::string url_text(Choices& choices) {
  return choices.one_in(16) ? "http://a/" + hostile_text(choices) : mostly(choices, urls);
}
std::string idempotency_text(Choices& choices) {
  return mostly(choices, names);
}
std::string trace_text(Choices& choices) {
  return mostly(choices, traces);
}

std::string changed(Choices& choices, std::string text) {
  for (unsigned changes = choices.below(4); changes != 0; --changes) {
    const std::size_t high = choices.byte();
    const std::size_t at = (high * 256 + choices.byte()) % std::max<std::size_t>(text.size(), 1);
    switch (choices.below(4)) {
      case 0:
        if (!text.empty()) text[at] = static_cast<char>(choices.byte());
        break;
      case 1:
        text.erase(at, choices.below(4));
        break;
      case 2:
        text.insert(at, hostile_text(choices));
        break;
      default:
        text.insert(at, choices.literal());
    }
  }
  return text;
}

}  // namespace weft::fuzz
