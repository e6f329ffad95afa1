// SPDX-License-Identifier: Apache-2.0
// Numbers with units, and pairs of them.
#include "load/schedule_text.h"

#include <array>
#include <cmath>

#include "base/text.h"

namespace weft::load {
namespace {

struct Unit {
  std::string_view name;
  double nanoseconds;
};
constexpr std::array units = {Unit{"ns", 1},  Unit{"us", 1e3}, Unit{"ms", 1e6},
                              Unit{"s", 1e9}, Unit{"m", 60e9}, Unit{"h", 3600e9}};
constexpr double longest = 7 * 24 * 3600e9;

base::Error bad(std::string_view text, const char* what) {
  return {"'" + base::printable(text) + "' is no " + what};
}

}  // namespace

base::Result<nanoseconds> parse_duration(std::string_view text) {
  constexpr const char* what = "duration above 0 and up to a week; write 200ms, 1.5s or 2m";
  const auto end = text.find_first_not_of("0123456789.");
  if (end == std::string_view::npos) return bad(text, what);
  const auto number = base::to_decimal(text.substr(0, end));
  for (const Unit& unit : units) {
    if (text.substr(end) != unit.name || !number) continue;
    const double value = *number * unit.nanoseconds;
    if (value < 1 || value > longest) return bad(text, what);
    return nanoseconds{std::llround(value)};
  }
  return bad(text, what);
}

base::Result<double> parse_rate(std::string_view text) {
  const auto rate = base::to_decimal(text);
  if (!rate || *rate <= 0) return bad(text, "rate; write requests a second, above 0");
  return *rate;
}

base::Result<Burst> parse_burst(std::string_view text, double base_rate) {
  constexpr const char* what =
      "burst; write RATE:LENGTH/PERIOD, as in 2000:200ms/2s, or 10x:200ms/2s";
  const auto colon = text.find(':');
  const auto slash = text.find('/');
  if (colon == std::string_view::npos || slash == std::string_view::npos || slash < colon) {
    return bad(text, what);
  }
  std::string_view rate_text = text.substr(0, colon);
  const bool is_factor = rate_text.ends_with('x');
  if (is_factor) rate_text.remove_suffix(1);
  const auto rate = parse_rate(rate_text);
  const auto length = parse_duration(text.substr(colon + 1, slash - colon - 1));
  const auto period = parse_duration(text.substr(slash + 1));
  if (!rate || !length || !period) return bad(text, what);
  if (*length >= *period) {
    return base::Error{"the burst '" + base::printable(text) +
                       "' cannot be kept: it is as long as its period, or longer"};
  }
  return Burst{is_factor ? *rate * base_rate : *rate, *length, *period};
}

base::Result<OnOff> parse_on_off(std::string_view text) {
  const auto slash = text.find('/');
  if (slash == std::string_view::npos) return bad(text, "pair ON/OFF; write 1s/500ms");
  const auto on = parse_duration(text.substr(0, slash));
  if (!on) return on.error();
  const auto off = parse_duration(text.substr(slash + 1));
  if (!off) return off.error();
  return OnOff{*on, *off};
}

}  // namespace weft::load
