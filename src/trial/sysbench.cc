// SPDX-License-Identifier: Apache-2.0
// sysbench's words, and what `sysbench --histogram` prints at its end.
#include "trial/sysbench.h"

#include <optional>

#include "base/text.h"

namespace weft::trial {
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

// The first line that says what was wrong, or the last one.
std::string complaint(std::string_view text) {
  std::string_view last;
  while (!text.empty()) {
    const std::string_view line = base::trim(base::take_until(text, '\n'));
    if (!line.empty()) last = line;
    if (line.starts_with("FATAL")) break;
  }
  constexpr std::size_t longest = 200;
  return base::printable(last, longest);
}

std::vector<std::string> words_of(const SysbenchPlan& plan, unsigned connections) {
  return {plan.program,
          plan.test,
          "--db-driver=mysql",
          "--mysql-socket=" + plan.socket,
          "--mysql-user=root",
          "--tables=" + std::to_string(plan.tables),
          "--table-size=" + std::to_string(plan.table_rows),
          "--threads=" + std::to_string(connections)};
}

}  // namespace

std::vector<std::string> words_to_prepare(const SysbenchPlan& plan) {
  std::vector<std::string> words = words_of(plan, 1);
  words.emplace_back("prepare");
  return words;
}

std::vector<std::string> words_to_run(const SysbenchPlan& plan, std::chrono::seconds duration) {
  std::vector<std::string> words = words_of(plan, plan.connections);
  words.push_back("--time=" + std::to_string(duration.count()));
  words.emplace_back("--histogram");
  words.emplace_back("run");
  return words;
}

base::Result<SysbenchOutput> parse_sysbench(std::string_view text) {
  const std::string_view whole = text;
  std::optional<double> transactions;
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
    if (const auto number = number_behind(line, "transactions:")) transactions = number;
    if (const auto number = number_behind(line, "queries:")) queries = number;
    if (const auto number = number_behind(line, "total time:")) seconds = number;
  }
  if (transactions.value_or(0) == 0 || queries.value_or(0) == 0 || seconds.value_or(0) == 0 ||
      total == 0) {
    return base::Error{"sysbench prints no result: " + complaint(whole)};
  }
  return SysbenchOutput{.transactions = *transactions,
                        .queries = *queries,
                        .seconds = *seconds,
                        .p50_milliseconds = quantile_of(bars, total, 0.5),
                        .p99_milliseconds = quantile_of(bars, total, 0.99)};
}

bool has_begun(std::string_view text) {
  return text.find("Threads started!") != std::string_view::npos;
}

}  // namespace weft::trial
