// SPDX-License-Identifier: Apache-2.0
// weft::bench: the frame in which ours is measured beside its rivals, for `weft bench NAME`.
//
// Words
//   row         one line of a report: ours, perhaps a rival, their ratio, perhaps a bar
//   bar         what must be true of a row: ratio <= 0.7, ours <= 1 ms, ours = 2. A row without a
//               bar is for information and cannot fail
//   contender   ours or a rival: a callable that yields one number
//   repetition  one round in which every contender runs once. The order turns around each time,
//               A B C, C B A, …, so that none of them always runs on the warmer machine
//   ratio       ours / rival within one repetition; a report shows the median over the repetitions
//               with its 95 % interval
//
// Invariant: the two numbers of a ratio come from the same repetition of the same run.
// Rejected: dividing the medians of two runs. Between runs the machine changes (frequency,
// neighbours, caches) by more than what is to be seen, and nothing in the result tells.
//
// The core (statistics, row, comparison, table, json) is arithmetic and text, and needs
// no machine; the shell around it (progress, child, rivals, interrupt) is thin.
//
// How to add a benchmark: a function from Options to Report in tools/weft/bench_NAME.cc, and its
// line in the table of tools/weft/bench.cc.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "bench/progress.h"
#include "bench/row.h"

namespace weft::bench {

struct Options {
  int repeats = 11;            // repetitions of everything that is timed
  std::uint64_t seed = 1;      // of everything that is drawn by lot
  bool allow_missing = false;  // leave out rivals that are not installed, instead of refusing
  bool quick = false;          // as little of everything as shows that it works
  std::string only;            // leave out what has not this text in its name
  std::string report;          // a page to write; empty: none
  std::string program;         // what is measured; empty: what the benchmark has for it
};

struct Report {
  std::vector<Row> rows;
  std::vector<std::string> notes;  // what a reader must know: what was left out, what was wrong
  std::string summary;             // lines for people, below the table
};

struct Benchmark {
  const char* name;
  const char* summary;  // one line
  // An Error says why it could not run and what to do.
  base::Result<Report> (*run)(const Options& options, Progress& progress);
  bool heeds_only = false;     // whether Options::only means something to it
  bool has_page = false;       // whether it writes Options::report
  bool takes_program = false;  // whether it measures Options::program
};

// What `weft bench` answers to its caller.
inline constexpr int exit_every_bar_holds = 0;
inline constexpr int exit_a_bar_does_not_hold = 1;
inline constexpr int exit_could_not_run = 2;
int exit_code(const Report& report) noexcept;

}  // namespace weft::bench
