// SPDX-License-Identifier: Apache-2.0
// Medians, ratios within a round, what is said of bars, and tables.
#include "bench_http_samples.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "bench/row.h"
#include "bench/statistics.h"
#include "bench/table.h"
#include "bench_http_matrix.h"

namespace weft::tool {
namespace {

using Measured = HttpMeasurement;

constexpr double percent = 100;
constexpr double whole_cpu = 0.95;

struct Column {
  const char* name;
  HttpNumber number;
  double factor;
};

constexpr Column columns[] = {
    {"P50 ms", &Measured::p50, 1},
    {"P99 ms", &Measured::p99, 1},
    {"burst P99 ms", &Measured::burst_p99, 1},
    {"recovered ms", &Measured::recovery, 1},
    {"good /s", &Measured::goodput, 1},
    {"refused %", &Measured::rejected, percent},
    {"failed %", &Measured::failed, percent},
    {"server CPU %", &Measured::server_cpu, percent},
    {"us CPU each", &Measured::server_us, 1},
    {"load CPU %", &Measured::generator_cpu, percent},
    {"bytes each idle", &Measured::idle_bytes, 1},
};

std::size_t runs_that_stand(const HttpSamples& samples, std::size_t contender) {
  std::size_t count = 0;
  for (const auto& run : samples.rounds[contender]) count += run.has_value();
  return count;
}

// Whether anybody has something to say in a column.
bool is_used(const HttpSamples& samples, const Column& column) {
  for (std::size_t i = 0; i < samples.rounds.size(); ++i) {
    if (samples.median_of(i, column.number) > 0) return true;
  }
  return false;
}

// Judges a row whose bar is on the ratio.
bool holds(const bench::Row& row, HttpRule rule) {
  if (!row.bar || !row.ratio) return false;
  const bool wants_less = row.bar->relation == bench::Bar::Relation::at_most;
  const double bar = row.bar->threshold;
  switch (rule) {
    case HttpRule::not_behind:
      return wants_less ? row.ratio->low <= bar : row.ratio->high >= bar;
    case HttpRule::both_sides:
      return row.ratio->median <= bar && row.ratio->median >= 1 / bar;
    default:
      return bench::clears(*row.bar, row);
  }
}

void note_voids(const HttpSamples& samples, bench::Report& report) {
  const unsigned voids = std::accumulate(samples.voids.begin(), samples.voids.end(), 0U);
  if (voids == 0) return;
  report.notes.push_back(samples.cell.name + ": " + std::to_string(voids) +
                         " runs were void and are not quoted; of the last one, " +
                         samples.void_because);
}

void note_ceilings(const HttpSamples& samples, bench::Report& report) {
  if (!samples.cell.load.segments.empty()) return;
  for (std::size_t i = 0; i < samples.rounds.size(); ++i) {
    const double load = samples.median_of(i, &Measured::generator_cpu);
    const double server = samples.median_of(i, &Measured::server_cpu);
    if (load >= whole_cpu && server < whole_cpu) {
      report.notes.push_back(samples.cell.name + ", " + samples.cell.contenders[i].name +
                             ": the generator had no CPU left and the server had; it may be "
                             "faster than this");
    }
  }
}

std::string summary_of(const HttpSamples& samples) {
  const auto rows = table_of(samples);
  std::vector<bench::TextTable::Align> align(rows.front().size(), bench::TextTable::Align::right);
  align[0] = bench::TextTable::Align::left;
  bench::TextTable table(align);
  for (const auto& row : rows) table.add(row);
  return samples.cell.name + "\n" + table.text() + "\n";
}

}  // namespace

std::optional<std::size_t> HttpSamples::index_of(const std::string& contender) const {
  for (std::size_t i = 0; i < cell.contenders.size(); ++i) {
    if (cell.contenders[i].name == contender) return i;
  }
  return std::nullopt;
}

double HttpSamples::median_of(std::size_t contender, HttpNumber number) const {
  std::vector<double> numbers;
  for (const auto& run : rounds[contender]) {
    if (run) numbers.push_back((*run).*number);
  }
  return bench::median(std::move(numbers));
}

std::pair<std::vector<double>, std::vector<double>> paired(const HttpSamples& samples,
                                                           std::size_t ours, std::size_t rival,
                                                           HttpNumber number) {
  std::pair<std::vector<double>, std::vector<double>> numbers;
  const auto& left = samples.rounds[ours];
  const auto& right = samples.rounds[rival];
  for (std::size_t round = 0; round < std::min(left.size(), right.size()); ++round) {
    if (!left[round] || !right[round]) continue;
    numbers.first.push_back((*left[round]).*number);
    numbers.second.push_back((*right[round]).*number);
  }
  return numbers;
}

std::optional<bench::Row> row_of(const HttpSamples& samples, const HttpComparison& comparison,
                                 std::uint64_t seed) {
  const auto ours = samples.index_of(comparison.ours);
  if (!ours || samples.rounds[*ours].empty()) return std::nullopt;
  const std::string name = samples.cell.name + ": " + comparison.ours + ", " + comparison.title;
  if (comparison.rival.empty()) {
    return bench::make_row(name, samples.median_of(*ours, comparison.number), comparison.unit,
                           comparison.bar);
  }
  const auto rival = samples.index_of(comparison.rival);
  if (!rival || samples.rounds[*rival].empty()) return std::nullopt;
  const auto [left, right] = paired(samples, *ours, *rival, comparison.number);
  bench::Row row =
      bench::make_row(name, comparison.unit, left, right, comparison.rival, seed,
                      comparison.rule == HttpRule::upper_end ? std::nullopt : comparison.bar);
  if (left.empty()) row.ratio.reset();  // nothing stands: nothing is quoted
  if (comparison.rule == HttpRule::upper_end) {
    const double high = row.ratio ? row.ratio->high : std::nan("");
    row = bench::make_row(name, high, "of " + comparison.rival, comparison.bar);
    row.samples = left.size();
  } else if (row.bar) {
    row.holds = holds(row, comparison.rule);
  }
  return row;
}

std::vector<std::vector<std::string>> table_of(const HttpSamples& samples) {
  std::vector<std::vector<std::string>> rows(1, {"server"});
  std::vector<const Column*> used;
  for (const Column& column : columns) {
    if (!is_used(samples, column)) continue;
    used.push_back(&column);
    rows[0].emplace_back(column.name);
  }
  rows[0].emplace_back("runs");
  rows[0].emplace_back("void");
  for (std::size_t i = 0; i < samples.rounds.size(); ++i) {
    const std::size_t standing = runs_that_stand(samples, i);
    std::vector<std::string> row = {samples.cell.contenders[i].name};
    for (const Column* column : used) {
      const double value = samples.median_of(i, column->number) * column->factor;
      row.push_back(standing == 0 ? "-" : bench::to_text(value, ""));
    }
    row.push_back(std::to_string(standing));
    row.push_back(std::to_string(samples.voids[i]));
    rows.push_back(std::move(row));
  }
  return rows;
}

void add_to_report(const std::vector<HttpSamples>& all, std::uint64_t seed, bench::Report& report) {
  for (const HttpSamples& samples : all) {
    for (const HttpComparison& comparison : samples.cell.comparisons) {
      if (auto row = row_of(samples, comparison, seed)) report.rows.push_back(std::move(*row));
    }
    for (const std::string& failure : samples.failures) {
      report.notes.push_back(samples.cell.name + ", " + failure);
    }
    note_voids(samples, report);
    note_ceilings(samples, report);
    report.summary += summary_of(samples);
  }
  add_matrix_rows(all, report);
}

}  // namespace weft::tool
