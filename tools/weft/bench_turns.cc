// SPDX-License-Identifier: Apache-2.0
// Turns, medians, and ratios within a round.
#include "bench_turns.h"

#include <algorithm>
#include <numeric>

#include "bench/interrupt.h"
#include "bench/row.h"
#include "bench/statistics.h"
#include "bench/table.h"

namespace weft::tool {
namespace {

std::optional<std::size_t> index_of(const TurnCell& cell, const std::string& contender) {
  const auto found = std::find(cell.contenders.begin(), cell.contenders.end(), contender);
  if (found == cell.contenders.end()) return std::nullopt;
  return static_cast<std::size_t>(found - cell.contenders.begin());
}

// Both numbers of the rounds in which both have a run that stands.
using Pairs = std::pair<std::vector<double>, std::vector<double>>;
Pairs paired(const TurnSamples& samples, std::size_t ours, std::size_t rival,
             const std::string& number) {
  Pairs pairs;
  const auto& left = samples.rounds[ours];
  const auto& right = samples.rounds[rival];
  for (std::size_t round = 0; round < std::min(left.size(), right.size()); ++round) {
    if (!left[round] || !right[round]) continue;
    const auto mine = left[round]->numbers.find(number);
    const auto theirs = right[round]->numbers.find(number);
    if (mine == left[round]->numbers.end() || theirs == right[round]->numbers.end()) continue;
    pairs.first.push_back(mine->second);
    pairs.second.push_back(theirs->second);
  }
  return pairs;
}

void run_one(std::size_t contender, int round, const bench::Options& options,
             bench::Progress& progress, const TakeTurn& take_turn, TurnSamples& samples) {
  const TurnCell& cell = samples.cell;
  const std::string title = cell.contenders[contender] + ", round " + std::to_string(round + 1);
  const int attempts = options.quick ? 1 : 2;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    progress.show(cell.name + ": " + title + " of " + std::to_string(options.repeats));
    auto run = take_turn(contender);
    if (!bench::check_interrupt()) return;
    if (!run) {
      samples.failures.push_back(title + ": " + run.error().message);
      break;
    }
    if (run->void_because.empty()) {
      samples.rounds[contender].emplace_back(std::move(*run));
      return;
    }
    ++samples.voids[contender];
    samples.void_because = run->void_because;
  }
  samples.rounds[contender].emplace_back(std::nullopt);
}

std::string table_of(const TurnSamples& samples) {
  using Align = bench::TextTable::Align;
  const TurnCell& cell = samples.cell;
  std::vector<Align> align(cell.columns.size() + 3, Align::right);
  align[0] = Align::left;
  bench::TextTable table(align);
  std::vector<std::string> header = {"contender"};
  for (const TurnColumn& column : cell.columns) header.push_back(column.header);
  header.insert(header.end(), {"runs", "void"});
  table.add(header);
  for (std::size_t i = 0; i < cell.contenders.size(); ++i) {
    const auto standing =
        std::count_if(samples.rounds[i].begin(), samples.rounds[i].end(),
                      [](const std::optional<TurnRun>& run) { return run.has_value(); });
    std::vector<std::string> row = {cell.contenders[i]};
    for (const TurnColumn& column : cell.columns) {
      const double value = samples.median_of(i, column.number) * column.factor;
      row.push_back(value != value ? "-" : bench::to_text(value, ""));
    }
    row.push_back(std::to_string(standing));
    row.push_back(std::to_string(samples.voids[i]));
    table.add(row);
  }
  return cell.name + "\n" + table.text() + "\n";
}

}  // namespace

TurnSamples::TurnSamples(TurnCell of) : cell(std::move(of)) {
  rounds.resize(cell.contenders.size());
  voids.resize(cell.contenders.size());
}

double TurnSamples::median_of(std::size_t contender, const std::string& number) const {
  std::vector<double> numbers;
  for (const auto& run : rounds[contender]) {
    if (!run) continue;
    if (const auto found = run->numbers.find(number); found != run->numbers.end()) {
      numbers.push_back(found->second);
    }
  }
  return bench::median(std::move(numbers));
}

base::Result<TurnSamples> take_turns(const TurnCell& cell, const bench::Options& options,
                                     bench::Progress& progress, const TakeTurn& take_turn) {
  TurnSamples samples(cell);
  std::vector<std::size_t> order(cell.contenders.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (int round = 0; round < options.repeats; ++round) {
    for (const std::size_t contender : order) {
      run_one(contender, round, options, progress, take_turn, samples);
      if (auto status = bench::check_interrupt(); !status) return status.error();
    }
    std::reverse(order.begin(), order.end());
  }
  return samples;
}

std::optional<bench::Row> row_of(const TurnSamples& samples, const TurnComparison& comparison,
                                 std::uint64_t seed) {
  const auto ours = index_of(samples.cell, comparison.ours);
  if (!ours) return std::nullopt;
  const std::string name = samples.cell.name + ": " + comparison.ours + ", " + comparison.title;
  if (comparison.rival.empty()) {
    bench::Row row = bench::make_row(name, samples.median_of(*ours, comparison.number),
                                     comparison.unit, comparison.bar);
    row.samples = samples.rounds[*ours].size();
    return row;
  }
  const auto rival = index_of(samples.cell, comparison.rival);
  if (!rival) return std::nullopt;
  const auto [left, right] = paired(samples, *ours, *rival, comparison.number);
  bench::Row row =
      bench::make_row(name, comparison.unit, left, right, comparison.rival, seed, comparison.bar);
  if (left.empty()) {  // nothing stands: nothing is quoted, and no bar holds
    row.ratio.reset();
    if (row.bar) row.holds = false;
  }
  return row;
}

void add_to_report(const TurnSamples& samples, std::uint64_t seed, bench::Report& report) {
  for (const TurnComparison& comparison : samples.cell.comparisons) {
    if (auto row = row_of(samples, comparison, seed)) report.rows.push_back(std::move(*row));
  }
  for (const std::string& failure : samples.failures) {
    report.notes.push_back(samples.cell.name + ", " + failure);
  }
  const unsigned voids = std::accumulate(samples.voids.begin(), samples.voids.end(), 0U);
  if (voids != 0) {
    report.notes.push_back(samples.cell.name + ": " + std::to_string(voids) +
                           " runs were void and are not quoted; of the last one, " +
                           samples.void_because);
  }
  report.summary += table_of(samples);
}

base::Status measure_cell(const TurnCell& cell, const bench::Options& options,
                          bench::Progress& progress, const TakeTurn& take_turn,
                          bench::Report& report) {
  const auto samples = take_turns(cell, options, progress, take_turn);
  if (!samples) return samples.error();
  if (options.quick && !samples->failures.empty()) {
    return base::Error{cell.name + ", " + samples->failures.front()};
  }
  add_to_report(*samples, options.seed, report);
  return base::Done{};
}

}  // namespace weft::tool
