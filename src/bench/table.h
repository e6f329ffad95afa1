// SPDX-License-Identifier: Apache-2.0
// Reports as aligned text for people.
#pragma once

#include <string>
#include <vector>

#include "bench/benchmark.h"

namespace weft::bench {

// Columns of text, each as wide as its widest cell, two spaces apart. The first row is the header.
class TextTable {
 public:
  enum class Align { left, right };
  explicit TextTable(std::vector<Align> columns) : columns_(std::move(columns)) {}

  // Cells beyond the columns are dropped, missing ones are empty.
  void add(std::vector<std::string> cells);
  // All rows, each ended by a newline and without trailing spaces.
  std::string text() const;

 private:
  std::vector<Align> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// The report: its rows, its summary, its notes and one line that says how many bars hold. A name
// that repeats the one above it is left out.
std::string to_table(const Report& report);

// Names and summaries, one a line.
std::string to_list(const std::vector<Benchmark>& benchmarks);

}  // namespace weft::bench
