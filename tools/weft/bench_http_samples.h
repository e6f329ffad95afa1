// SPDX-License-Identifier: Apache-2.0
// What the runs of `weft bench http` have shown, as rows with bars and as tables for people. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/benchmark.h"
#include "bench_http_cells.h"

namespace weft::tool {

// A contender in one run that was watched, for the plots; no number of it is quoted.
struct HttpTrace {
  std::vector<HttpSample> samples;
  std::vector<std::pair<double, double>> workers;  // by seconds
};

// All runs of one cell.
struct HttpSamples {
  HttpCell cell;
  // By contender and round; none where the run has failed or is void.
  std::vector<std::vector<std::optional<HttpMeasurement>>> rounds{};
  std::vector<unsigned> voids{};        // by contender: runs that were void, and shown by nobody
  std::string void_because{};           // of the last of them
  std::vector<std::string> failures{};  // which run, and what was said
  std::vector<HttpTrace> traces{};      // by contender, or none at all

  explicit HttpSamples(HttpCell of) : cell(std::move(of)) {
    rounds.resize(cell.contenders.size());
    voids.resize(cell.contenders.size());
  }
  std::optional<std::size_t> index_of(const std::string& contender) const;
  // Of the runs that stand; NaN where there is none.
  double median_of(std::size_t contender, HttpNumber number) const;
};

// Both numbers of the rounds in which both have a run that stands.
std::pair<std::vector<double>, std::vector<double>> paired(const HttpSamples& samples,
                                                           std::size_t ours, std::size_t rival,
                                                           HttpNumber number);

// The row of a comparison; nothing where a side was not measured at all.
std::optional<bench::Row> row_of(const HttpSamples& samples, const HttpComparison& comparison,
                                 std::uint64_t seed);

// The numbers of all contenders of a cell, side by side: the first row has the names.
std::vector<std::vector<std::string>> table_of(const HttpSamples& samples);

// Adds rows, notes and the summary.
void add_to_report(const std::vector<HttpSamples>& all, std::uint64_t seed, bench::Report& report);

}  // namespace weft::tool
