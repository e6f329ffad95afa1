// SPDX-License-Identifier: Apache-2.0
// Medians, ratios within a round, and their tables.
#include "bench_mariadb_samples.h"

#include <utility>

#include "bench/row.h"
#include "bench/statistics.h"
#include "bench/table.h"

namespace weft::tool {
namespace {

using Mode = MariadbMode;
using Number = double MariadbSample::*;

constexpr double thousand = 1e3;
constexpr double whole_cpu = 0.97;

std::vector<double> numbers_of(const MariadbSamples& samples, Mode mode, Number number) {
  std::vector<double> numbers;
  for (const auto& sample : samples.of(mode)) {
    if (sample) numbers.push_back((*sample).*number);
  }
  return numbers;
}

struct Pairs {
  std::vector<double> ours;
  std::vector<double> rival;
};

// Of the rounds in which both have run.
Pairs pairs_of(const MariadbSamples& samples, Mode mode, Mode rival, Number number) {
  Pairs pairs;
  for (std::size_t round = 0; round < samples.of(mode).size(); ++round) {
    const auto& ours = samples.of(mode)[round];
    const auto& theirs = samples.of(rival)[round];
    if (!ours || !theirs) continue;
    pairs.ours.push_back((*ours).*number);
    pairs.rival.push_back((*theirs).*number);
  }
  return pairs;
}

double median_of(const MariadbSamples& samples, Mode mode, Number number) {
  return bench::median(numbers_of(samples, mode, number));
}

std::string ratio_text(const MariadbSamples& samples, Mode mode, Mode rival, Number number) {
  const Pairs pairs = pairs_of(samples, mode, rival, number);
  if (pairs.ours.empty()) return "-";
  return bench::to_text(bench::median(bench::ratios(pairs.ours, pairs.rival)), "");
}

constexpr struct {
  const char* name;
  Number number;
} cpu_details[] = {
    {"server_user_us_per_query", &MariadbSample::user_microseconds},
    {"server_system_us_per_query", &MariadbSample::system_microseconds},
    {"server_switches_per_query", &MariadbSample::switches},
    {"server_cpu", &MariadbSample::server_cpu},
    {"client_cpu", &MariadbSample::client_cpu},
};

void add_rows(const MariadbSamples& samples, std::uint64_t seed, bench::Report& report) {
  const auto add = [&](const std::string& name, const char* unit, double scale, Number number,
                       Mode rival, std::optional<bench::Bar> bar = {}) {
    Pairs pairs = pairs_of(samples, Mode::weft, rival, number);
    for (double& value : pairs.ours) value *= scale;
    for (double& value : pairs.rival) value *= scale;
    report.rows.push_back(
        bench::make_row(name, unit, pairs.ours, pairs.rival, name_of(rival), seed, bar));
  };
  const MariadbComparison& comparison = samples.comparison;
  const std::string name = name_of(comparison);
  for (const auto& [rival, least] : {std::pair{Mode::native, comparison.least_to_native},
                                     {Mode::pool, comparison.least_to_pool}}) {
    add(name, "k/s", 1 / thousand, &MariadbSample::transactions_a_second, rival,
        bench::ratio_at_least(least));
    for (const auto& [detail, number] : cpu_details) {
      report.rows.back().details.emplace_back(detail, median_of(samples, Mode::weft, number));
      report.rows.back().details.emplace_back(std::string("rival_") + detail,
                                              median_of(samples, rival, number));
    }
  }
  add("  P99", "ms", 1, &MariadbSample::p99_milliseconds, Mode::native,
      bench::ratio_at_most(comparison.most_p99_to_native));
  add("  P99", "ms", 1, &MariadbSample::p99_milliseconds, Mode::pool);
  if (!samples.failures.empty()) {
    report.rows.push_back(bench::make_row("  runs that failed",
                                          static_cast<double>(samples.failures.size()), "",
                                          bench::ours_at_most(0)));
  }
}

void add_notes(const MariadbSamples& samples, bench::Report& report) {
  const std::string name = name_of(samples.comparison);
  for (const std::string& failure : samples.failures) {
    report.notes.push_back(name + ", " + failure);
  }
  if (samples.comparison.placement == MariadbPlacement::apart &&
      median_of(samples, Mode::weft, &MariadbSample::client_cpu) >= whole_cpu) {
    report.notes.push_back(name + ": the load had no CPU left, the server may be faster than this");
  }
}

// Which table a comparison stands in.
const char* table_of(const MariadbComparison& comparison) {
  if (comparison.placement == MariadbPlacement::shared) return "both CPUs shared with the load";
  return comparison.client == MariadbClient::weft ? "a CPU for each, load under weft in all modes"
                                                  : "a CPU for each";
}

bench::TextTable empty_table() {
  using Align = bench::TextTable::Align;
  std::vector<Align> columns(13, Align::right);
  columns[0] = Align::left;
  columns[1] = Align::left;
  bench::TextTable table(columns);
  table.add({"", "", "", "", "server us", "a query", "", "switches", "CPU", "CPU", "k/s to",
             "k/s to", "P99 to"});
  table.add({"test", "server", "k/s", "P99 ms", "a query", "user", "system", "a query", "server",
             "load", "native", "pool", "native"});
  return table;
}

void add_lines(const MariadbSamples& samples, bench::TextTable& table) {
  for (const Mode mode : {Mode::native, Mode::pool, Mode::weft}) {
    const auto text = [&](Number number, double scale = 1) {
      return bench::to_text(scale * median_of(samples, mode, number), "");
    };
    const double cpu_microseconds = median_of(samples, mode, &MariadbSample::user_microseconds) +
                                    median_of(samples, mode, &MariadbSample::system_microseconds);
    const auto ratio = [&](Mode rival, Number number) {
      return mode > rival ? ratio_text(samples, mode, rival, number) : "";
    };
    table.add({mode == Mode::native ? name_of(samples.comparison) : "", name_of(mode),
               text(&MariadbSample::transactions_a_second, 1 / thousand),
               text(&MariadbSample::p99_milliseconds), bench::to_text(cpu_microseconds, ""),
               text(&MariadbSample::user_microseconds), text(&MariadbSample::system_microseconds),
               text(&MariadbSample::switches), text(&MariadbSample::server_cpu),
               text(&MariadbSample::client_cpu),
               ratio(Mode::native, &MariadbSample::transactions_a_second),
               ratio(Mode::pool, &MariadbSample::transactions_a_second),
               ratio(Mode::native, &MariadbSample::p99_milliseconds)});
  }
}

std::string to_summary(const std::vector<MariadbSamples>& all) {
  std::string text;
  for (std::size_t i = 0; i < all.size();) {
    const std::string name = table_of(all[i].comparison);
    bench::TextTable table = empty_table();
    for (; i < all.size() && table_of(all[i].comparison) == name; ++i) add_lines(all[i], table);
    text += (text.empty() ? "" : "\n") + name + "\n" + table.text();
  }
  return text;
}

}  // namespace

const char* name_of(MariadbMode mode) {
  switch (mode) {
    case MariadbMode::native:
      return "native";
    case MariadbMode::pool:
      return "thread pool";
    case MariadbMode::weft:
      break;
  }
  return "weft";
}

void add_to_report(const std::vector<MariadbSamples>& all, std::uint64_t seed,
                   bench::Report& report) {
  for (const MariadbSamples& samples : all) {
    add_rows(samples, seed, report);
    add_notes(samples, report);
  }
  report.summary = to_summary(all);
  report.notes.emplace_back(
      "CPU: of one, while all connections were there and asked; read-write has 20 queries in a "
      "transaction");
}

}  // namespace weft::tool
