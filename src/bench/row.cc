// SPDX-License-Identifier: Apache-2.0
// The arithmetic of rows and bars.
#include "bench/row.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace weft::bench {
namespace {

constexpr int significant_digits = 3;

bool nearly_equal(double left, double right) noexcept {
  return std::abs(left - right) <= 1e-9 * std::max(1.0, std::abs(right));
}

Row with_bar(Row row, std::optional<Bar> bar) {
  row.bar = bar;
  if (bar) row.holds = clears(*bar, row);
  return row;
}

}  // namespace

Row make_row(std::string name, double ours, std::string unit, std::optional<Bar> bar) {
  Row row;
  row.name = std::move(name);
  row.ours = ours;
  row.unit = std::move(unit);
  return with_bar(std::move(row), bar);
}

Row make_row(std::string name, double ours, std::string unit, double rival, std::string rival_name,
             std::optional<Bar> bar) {
  Row row = make_row(std::move(name), ours, std::move(unit));
  row.rival = rival;
  row.rival_name = std::move(rival_name);
  if (rival != 0) row.ratio = Interval{ours / rival, ours / rival, ours / rival};
  return with_bar(std::move(row), bar);
}

Row make_row(std::string name, std::string unit, const std::vector<double>& ours,
             const std::vector<double>& rival, std::string rival_name, std::uint64_t seed,
             std::optional<Bar> bar) {
  Row row = make_row(std::move(name), median(ours), std::move(unit));
  row.rival = median(rival);
  row.rival_name = std::move(rival_name);
  row.samples = std::min(ours.size(), rival.size());
  const std::vector<double> paired = ratios(ours, rival);
  if (!paired.empty()) row.ratio = median_interval(paired, seed);
  return with_bar(std::move(row), bar);
}

bool clears(const Bar& bar, const Row& row) noexcept {
  if (bar.subject == Bar::Subject::ratio && !row.ratio) return false;
  const double number = bar.subject == Bar::Subject::ratio ? row.ratio->median : row.ours;
  switch (bar.relation) {
    case Bar::Relation::at_most:
      return number <= bar.threshold;
    case Bar::Relation::at_least:
      return number >= bar.threshold;
    case Bar::Relation::equal:
      return nearly_equal(number, bar.threshold);
  }
  return false;
}

std::string to_text(double number, const std::string& unit) {
  if (!std::isfinite(number)) return "?";
  // Whole numbers stay whole; a fraction keeps three digits, wherever the point is.
  int decimals = 0;
  if (number != 0 && number != std::round(number)) {
    const int digits_before_point = static_cast<int>(std::floor(std::log10(std::abs(number)))) + 1;
    decimals = std::clamp(significant_digits - digits_before_point, 0, 9);
  }
  const std::string text = base::to_text(number, decimals);
  return unit.empty() ? text : text + " " + unit;
}

std::string to_text(const Bar& bar, const std::string& unit) {
  const bool on_ratio = bar.subject == Bar::Subject::ratio;
  std::string text = on_ratio ? "ratio" : "ours";
  switch (bar.relation) {
    case Bar::Relation::at_most:
      text += " <= ";
      break;
    case Bar::Relation::at_least:
      text += " >= ";
      break;
    case Bar::Relation::equal:
      text += " = ";
      break;
  }
  return text + to_text(bar.threshold, on_ratio ? std::string() : unit);
}

}  // namespace weft::bench
