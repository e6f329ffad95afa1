// SPDX-License-Identifier: Apache-2.0
// Contenders that take turns in one cell of a benchmark, and what their runs have shown.
//
// Words
//   cell        one load, and the contenders that are given it in turn: A B C, C B A, …
//   run         a turn of a contender: numbers by their names, or a failure
//   void        a run that shows the generator's limits and not the server's; it is never quoted
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/benchmark.h"

namespace weft::tool {

struct TurnRun {
  std::map<std::string, double> numbers;
  std::string void_because = {};  // empty: the run stands
};

// A row of the report: a contender beside another in the same rounds.
struct TurnComparison {
  std::string ours;
  std::string rival;  // empty: none, and the bar is on ours
  std::string number;
  std::string title;
  std::string unit = {};
  std::optional<bench::Bar> bar = {};
};

// Of the table for people.
struct TurnColumn {
  std::string number;
  std::string header;
  double factor = 1;
};

struct TurnCell {
  std::string name;
  std::vector<std::string> contenders;
  std::vector<TurnComparison> comparisons;
  std::vector<TurnColumn> columns;
};

struct TurnSamples {
  explicit TurnSamples(TurnCell of);
  // Of the runs that stand; NaN where there is none.
  double median_of(std::size_t contender, const std::string& number) const;

  TurnCell cell;
  // By contender and round; none where the run has failed or is void.
  std::vector<std::vector<std::optional<TurnRun>>> rounds;
  std::vector<unsigned> voids;  // by contender
  std::string void_because = {};
  std::vector<std::string> failures = {};
};

// Runs each contender once a round. What is void is tried once more; what fails is noted, and the
// rest goes on. The Error says that a signal came.
using TakeTurn = std::function<base::Result<TurnRun>(std::size_t contender)>;
base::Result<TurnSamples> take_turns(const TurnCell& cell, const bench::Options& options,
                                     bench::Progress& progress, const TakeTurn& take_turn);

// The row of a comparison; nothing where a side is not in the cell.
std::optional<bench::Row> row_of(const TurnSamples& samples, const TurnComparison& comparison,
                                 std::uint64_t seed);

// Rows, notes, and the cell's table.
void add_to_report(const TurnSamples& samples, std::uint64_t seed, bench::Report& report);

// Both: a cell is run, and reported. With --quick, what fails is an Error.
base::Status measure_cell(const TurnCell& cell, const bench::Options& options,
                          bench::Progress& progress, const TakeTurn& take_turn,
                          bench::Report& report);

}  // namespace weft::tool
