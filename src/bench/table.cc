// SPDX-License-Identifier: Apache-2.0
// Rendering of reports as text.
#include "bench/table.h"

#include <algorithm>

namespace weft::bench {
namespace {

std::string rival_cell(const Row& row) {
  if (!row.rival) return "-";
  const std::string number = to_text(*row.rival, "");  // the unit stands beside ours
  return row.rival_name.empty() ? number : row.rival_name + ": " + number;
}

std::string ratio_cell(const Row& row) {
  if (!row.ratio) return "-";
  std::string median = to_text(row.ratio->median, "");
  const std::string low = to_text(row.ratio->low, "");
  const std::string high = to_text(row.ratio->high, "");
  if (low == high) return median;
  return median + " [" + low + ", " + high + "]";
}

std::string holds_cell(const Row& row) {
  if (!row.holds) return "-";
  return *row.holds ? "yes" : "NO";
}

std::string verdict(const Report& report) {
  const auto with_bar = std::count_if(report.rows.begin(), report.rows.end(),
                                      [](const Row& row) { return row.holds.has_value(); });
  const auto holding = std::count_if(report.rows.begin(), report.rows.end(),
                                     [](const Row& row) { return row.holds == true; });
  return std::to_string(holding) + " of " + std::to_string(with_bar) + " bars hold\n";
}

}  // namespace

void TextTable::add(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  rows_.push_back(std::move(cells));
}

std::string TextTable::text() const {
  std::vector<std::size_t> widths(columns_.size(), 0);
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string result;
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string padding(widths[i] - row[i].size(), ' ');
      if (i > 0) line += "  ";
      line += columns_[i] == Align::left ? row[i] + padding : padding + row[i];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    result += line + "\n";
  }
  return result;
}

std::string to_table(const Report& report) {
  using Align = TextTable::Align;
  TextTable table({Align::left, Align::right, Align::left, Align::left, Align::left, Align::left});
  table.add({"name", "ours", "rival", "ratio", "bar", "holds"});
  std::string name_above;
  for (const Row& row : report.rows) {
    table.add({row.name == name_above ? std::string() : row.name, to_text(row.ours, row.unit),
               rival_cell(row), ratio_cell(row), row.bar ? to_text(*row.bar, row.unit) : "-",
               holds_cell(row)});
    name_above = row.name;
  }
  std::string text = table.text();
  if (!report.summary.empty()) text += "\n" + report.summary;
  if (!report.notes.empty()) text += "\n";
  for (const std::string& note : report.notes) text += "note: " + note + "\n";
  return text + "\n" + verdict(report);
}

std::string to_list(const std::vector<Benchmark>& benchmarks) {
  TextTable table({TextTable::Align::left, TextTable::Align::left});
  for (const Benchmark& benchmark : benchmarks) table.add({benchmark.name, benchmark.summary});
  return table.text();
}

}  // namespace weft::bench
