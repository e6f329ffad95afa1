// SPDX-License-Identifier: Apache-2.0
// A pressure file, with the shapes that kernels since 4.20 gave it.
#include "budget/psi.h"

#include <algorithm>
#include <limits>

#include "base/text.h"

namespace weft::budget {
namespace {

std::optional<Stall> parse_line(std::string_view line) {
  std::optional<double> average_10s;
  std::optional<double> average_60s;
  std::optional<double> average_300s;
  std::optional<std::uint64_t> total;
  while (!line.empty()) {
    std::string_view value = base::take_field(line);
    const std::string_view key = base::take_until(value, '=');
    if (key == "avg10") average_10s = base::to_decimal(value);
    if (key == "avg60") average_60s = base::to_decimal(value);
    if (key == "avg300") average_300s = base::to_decimal(value);
    if (key == "total") total = base::to_number<std::uint64_t>(value);
  }
  if (!average_10s || !average_60s || !average_300s || !total) return std::nullopt;
  constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max() / 1000;
  return Stall{*average_10s, *average_60s, *average_300s,
               std::chrono::microseconds(static_cast<std::int64_t>(std::min(*total, most)))};
}

}  // namespace

base::Result<StallLines> parse_psi(std::string_view text) {
  StallLines lines;
  std::string_view rest = text;
  while (!rest.empty()) {
    std::string_view line = base::take_until(rest, '\n');
    const std::string_view kind = base::take_field(line);
    if (kind == "some") lines.some = parse_line(line);
    if (kind == "full") lines.full = parse_line(line);
  }
  if (!lines.some && !lines.full) {
    return base::Error{"\"" + base::printable(base::trim(text), 40) + "\" is not a pressure file"};
  }
  return lines;
}

}  // namespace weft::budget
