// SPDX-License-Identifier: Apache-2.0
// What `sysbench --histogram` prints at its end.
#include "sysbench_output.h"

#include <vector>

#include "base/text.h"

namespace weft::demo {
namespace {

struct Bar {
  double milliseconds = 0;
  double count = 0;
};

// A line of the histogram: `0.067 |****    12`.
std::optional<Bar> parse_bar(std::string_view line) {
  const auto wall = line.find('|');
  if (wall == std::string_view::npos) return std::nullopt;
  const auto value = base::to_decimal(base::trim(line.substr(0, wall)));
  const std::string_view right = base::trim(line.substr(wall + 1));
  const auto count_begin = right.find_last_of(" *");
  const auto count = base::to_decimal(
      count_begin == std::string_view::npos ? right : right.substr(count_begin + 1));
  if (!value || !count) return std::nullopt;
  return Bar{*value, *count};
}

// The number behind `label:` and before anything that is none.
std::optional<double> number_behind(std::string_view line, std::string_view label) {
  line = base::trim(line);
  if (!line.starts_with(label)) return std::nullopt;
  line = base::trim(line.substr(label.size()));
  return base::to_decimal(line.substr(0, line.find_first_not_of("0123456789.")));
}

double quantile_of(const std::vector<Bar>& bars, double total, double share) {
  double seen = 0;
  for (const Bar& bar : bars) {
    seen += bar.count;
    if (seen >= share * total) return bar.milliseconds;
  }
  return bars.back().milliseconds;
}

}  // namespace

std::optional<SysbenchOutput> parse_sysbench(std::string_view text) {
  std::optional<double> queries;
  std::optional<double> seconds;
  std::vector<Bar> bars;
  double total = 0;
  while (!text.empty()) {
    const std::string_view line = base::take_until(text, '\n');
    if (const auto bar = parse_bar(line)) {
      bars.push_back(*bar);
      total += bar->count;
    }
    if (const auto number = number_behind(line, "queries:")) queries = number;
    if (const auto number = number_behind(line, "total time:")) seconds = number;
  }
  if (!queries || !seconds || *queries == 0 || *seconds == 0 || total == 0) return std::nullopt;
  return SysbenchOutput{.queries = *queries,
                        .seconds = *seconds,
                        .p50_milliseconds = quantile_of(bars, total, 0.5),
                        .p99_milliseconds = quantile_of(bars, total, 0.99)};
}

}  // namespace weft::demo
