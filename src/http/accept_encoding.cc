// SPDX-License-Identifier: Apache-2.0
// Accept-Encoding.
#include "http/accept_encoding.h"

#include <array>
#include <optional>

#include "http/characters.h"

namespace weft::http {
namespace {

constexpr std::array<std::string_view, 4> names = {"identity", "gzip", "zstd", "br"};

// "0.5" in thousandths; nothing for what is no quality (RFC 9110 12.4.2).
std::optional<int> parse_quality(std::string_view text) {
  if (text.empty() || text.size() > 5 || (text[0] != '0' && text[0] != '1')) return std::nullopt;
  int thousandths = (text[0] - '0') * 1000;
  if (text.size() > 1 && text[1] != '.') return std::nullopt;
  int weight = 100;
  for (std::size_t i = 2; i < text.size(); ++i, weight /= 10) {
    if (!is_of(text[i], digit_class)) return std::nullopt;
    thousandths += (text[i] - '0') * weight;
  }
  return thousandths <= 1000 ? std::optional(thousandths) : std::nullopt;
}

struct Preferences {
  std::array<std::optional<int>, names.size()> quality;
  std::optional<int> of_others;  // "*"

  void add(std::string_view element) {
    const auto semicolon = element.find(';');
    std::string_view name = trim_blanks(element.substr(0, semicolon));
    std::optional<int> value = 1000;
    if (semicolon != std::string_view::npos) {
      std::string_view weight = trim_blanks(element.substr(semicolon + 1));
      if (!equals_ignoring_case(weight.substr(0, 2), "q=")) return;
      value = parse_quality(weight.substr(2));
    }
    if (!value) return;
    if (name == "*") of_others = value;
    if (equals_ignoring_case(name, "x-gzip")) name = "gzip";
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (equals_ignoring_case(name, names[i])) quality[i] = value;
    }
  }

  int of(Encoding encoding) const {
    const auto& own = quality[static_cast<std::size_t>(encoding)];
    if (own) return *own;
    // Identity is acceptable unless it is refused; 1 of 1000: rather than nothing.
    return of_others.value_or(encoding == Encoding::identity ? 1 : 0);
  }
};

}  // namespace

std::string_view encoding_name(Encoding encoding) noexcept {
  return encoding == Encoding::identity ? std::string_view()
                                        : names[static_cast<std::size_t>(encoding)];
}

Encoding choose_encoding(const RequestHead& head, EncodingSet available) noexcept {
  if (!head.has(KnownField::accept_encoding)) return Encoding::identity;
  Preferences preferences;
  head.for_each(KnownField::accept_encoding, [&](std::string_view list) {
    while (!list.empty()) preferences.add(take_element(list));
  });
  Encoding best = Encoding::identity;
  int best_quality = 0;
  for (const Encoding encoding :
       {Encoding::br, Encoding::zstd, Encoding::gzip, Encoding::identity}) {
    const int quality = preferences.of(encoding);
    if (available.has(encoding) && quality > best_quality) {
      best = encoding;
      best_quality = quality;
    }
  }
  return best;
}

}  // namespace weft::http
