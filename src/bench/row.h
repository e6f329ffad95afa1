// SPDX-License-Identifier: Apache-2.0
// One line of a report, and the bar that it must clear.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/statistics.h"

namespace weft::bench {

// What must be true of a row.
struct Bar {
  enum class Subject { ours, ratio };
  enum class Relation { at_most, at_least, equal };
  Subject subject = Subject::ratio;
  Relation relation = Relation::at_most;
  double threshold = 1;
};

constexpr Bar ratio_at_most(double threshold) noexcept {
  return {Bar::Subject::ratio, Bar::Relation::at_most, threshold};
}
constexpr Bar ratio_at_least(double threshold) noexcept {
  return {Bar::Subject::ratio, Bar::Relation::at_least, threshold};
}
constexpr Bar ours_at_most(double threshold) noexcept {
  return {Bar::Subject::ours, Bar::Relation::at_most, threshold};
}
constexpr Bar ours_at_least(double threshold) noexcept {
  return {Bar::Subject::ours, Bar::Relation::at_least, threshold};
}
constexpr Bar ours_equals(double threshold) noexcept {
  return {Bar::Subject::ours, Bar::Relation::equal, threshold};
}

struct Row {
  std::string name;
  double ours = 0;
  std::string unit;             // of ours and rival: "ms", "threads"; empty: a plain number
  std::optional<double> rival;  // none where there is nobody to compare with
  std::string rival_name;
  std::optional<Interval> ratio;  // ours / rival
  std::size_t samples = 1;        // repetitions behind the numbers
  std::optional<Bar> bar;
  std::optional<bool> holds;        // none where there is no bar
  std::optional<bool> rival_right;  // where there is a right answer: did the rival give it
  std::vector<std::pair<std::string, double>> details;  // more numbers, for JSON
};

// A row of single numbers. The ratio is theirs, without a spread; none where the rival is zero.
Row make_row(std::string name, double ours, std::string unit, std::optional<Bar> bar = {});
Row make_row(std::string name, double ours, std::string unit, double rival, std::string rival_name,
             std::optional<Bar> bar = {});

// A row from repetitions: medians of ours and of the rival, and the interval of the ratio that is
// taken within each repetition.
Row make_row(std::string name, std::string unit, const std::vector<double>& ours,
             const std::vector<double>& rival, std::string rival_name, std::uint64_t seed,
             std::optional<Bar> bar = {});

// Whether the bar holds for these numbers; not where the bar is on a ratio and there is none, nor
// where a number is NaN.
bool clears(const Bar& bar, const Row& row) noexcept;

// A number with about three significant digits and its unit: "0.0831 ms", "12.5", "2 threads".
std::string to_text(double number, const std::string& unit);

// The bar as people write it: "ratio <= 0.7", "ours <= 1 ms", "ours = 2".
std::string to_text(const Bar& bar, const std::string& unit);

}  // namespace weft::bench
