// SPDX-License-Identifier: Apache-2.0
// The names of the known fields, by their lengths.
#include "http/known_field.h"

#include <array>
#include <cstring>

namespace weft::http {
namespace {

struct Name {
  std::string_view text;
  KnownField field;
};

// Sorted by length, so that a name is compared with at most five.
constexpr std::array names = {
    Name{"te", KnownField::te},
    Name{"host", KnownField::host},
    Name{"range", KnownField::range},
    Name{"accept", KnownField::accept},
    Name{"cookie", KnownField::cookie},
    Name{"expect", KnownField::expect},
    Name{"origin", KnownField::origin},
    Name{"referer", KnownField::referer},
    Name{"trailer", KnownField::trailer},
    Name{"upgrade", KnownField::upgrade},
    Name{"if-match", KnownField::if_match},
    Name{"if-range", KnownField::if_range},
    Name{"connection", KnownField::connection},
    Name{"user-agent", KnownField::user_agent},
    Name{"keep-alive", KnownField::keep_alive},
    Name{"content-type", KnownField::content_type},
    Name{"authorization", KnownField::authorization},
    Name{"if-none-match", KnownField::if_none_match},
    Name{"content-range", KnownField::content_range},
    Name{"content-length", KnownField::content_length},
    Name{"accept-encoding", KnownField::accept_encoding},
    Name{"content-encoding", KnownField::content_encoding},
    Name{"if-modified-since", KnownField::if_modified_since},
    Name{"transfer-encoding", KnownField::transfer_encoding},
    Name{"if-unmodified-since", KnownField::if_unmodified_since},
};
static_assert(names.size() + 1 == known_field_count);

constexpr std::size_t longest = names.back().text.size();

// Where the names of each length begin; those of one length end where the next begin.
constexpr std::array<std::uint8_t, longest + 2> first_of_length = [] {
  std::array<std::uint8_t, longest + 2> first{};
  for (std::size_t length = 0; length < first.size(); ++length) {
    std::size_t index = 0;
    while (index < names.size() && names[index].text.size() < length) ++index;
    first[length] = static_cast<std::uint8_t>(index);
  }
  return first;
}();

std::uint64_t load(const char* at) noexcept {
  std::uint64_t word = 0;
  std::memcpy(&word, at, sizeof word);
  return word;
}

// Whether a token of the same length is `lower` in any case; `lower` holds only letters and
// hyphens. Setting bit 5 makes a letter lower-case, leaves a hyphen, and makes no other byte of a
// token into either.
bool same_letters(const char* token, std::string_view lower) noexcept {
  constexpr std::uint64_t bit_5 = 0x2020202020202020;
  const char* const expected = lower.data();
  const std::size_t size = lower.size();
  std::uint64_t difference = 0;
  if (size >= 8) {
    for (std::size_t i = 0; i + 8 <= size; i += 8) {
      difference |= (load(token + i) | bit_5) ^ load(expected + i);
    }
    return (difference | ((load(token + size - 8) | bit_5) ^ load(expected + size - 8))) == 0;
  }
  for (std::size_t i = 0; i < size; ++i) {
    difference |=
        (static_cast<unsigned char>(token[i]) | 0x20U) ^ static_cast<unsigned char>(expected[i]);
  }
  return difference == 0;
}

}  // namespace

KnownField known_field(std::string_view name) noexcept {
  if (name.size() < 2 || name.size() > longest) return KnownField::other;
  const auto first = static_cast<unsigned char>(static_cast<unsigned char>(name.front()) | 0x20U);
  for (std::size_t i = first_of_length[name.size()]; i < first_of_length[name.size() + 1]; ++i) {
    const Name& candidate = names[i];
    if (first == static_cast<unsigned char>(candidate.text.front()) &&
        same_letters(name.data(), candidate.text)) {
      return candidate.field;
    }
  }
  return KnownField::other;
}

}  // namespace weft::http
