// SPDX-License-Identifier: Apache-2.0
// Eight digits and a unit.
#include "wire/timeout.h"

#include <algorithm>
#include <cstdint>

#include "base/text.h"

namespace weft::wire {
namespace {

using std::chrono::nanoseconds;

constexpr std::size_t most_digits = 8;
constexpr std::int64_t most_number = 99'999'999;

struct Unit {
  char letter;
  nanoseconds duration;
};
// From the smallest on.
constexpr Unit units[] = {{'n', nanoseconds(1)},
                          {'u', std::chrono::microseconds(1)},
                          {'m', std::chrono::milliseconds(1)},
                          {'S', std::chrono::seconds(1)},
                          {'M', std::chrono::minutes(1)},
                          {'H', std::chrono::hours(1)}};

}  // namespace

std::optional<nanoseconds> parse_timeout(std::string_view text) noexcept {
  if (text.size() < 2 || text.size() > most_digits + 1) return std::nullopt;
  const std::string_view digits = text.substr(0, text.size() - 1);
  if (digits.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
  const auto number = base::to_number<std::uint32_t>(digits);
  const auto* const unit =
      std::ranges::find_if(units, [&](const Unit& each) { return each.letter == text.back(); });
  if (!number || unit == std::end(units)) return std::nullopt;
  // More than a few hundred years of hours do not fit, and are as good as a year.
  const std::int64_t longest = std::chrono::hours(24 * 365) / unit->duration;
  return unit->duration * std::min<std::int64_t>(*number, longest);
}

std::string timeout_text(nanoseconds duration) {
  const nanoseconds rest = std::max(duration, nanoseconds(0));
  const auto* const unit = std::ranges::find_if(
      units, [&](const Unit& each) { return rest / each.duration <= most_number; });
  return std::to_string(rest / unit->duration) + unit->letter;
}

}  // namespace weft::wire
