// SPDX-License-Identifier: Apache-2.0
// Words for sysbench, and numbers from what it prints.
#include "bench_mariadb_load.h"

#include <optional>

#include "base/text.h"
#include "bench_mariadb_server.h"

namespace weft::tool {
namespace {

// The number behind a label, and behind `before_number` after that.
std::optional<double> number_behind(std::string_view text, std::string_view label,
                                    char before_number) {
  const auto found = text.find(label);
  if (found == std::string_view::npos) return std::nullopt;
  text.remove_prefix(found + label.size() - 1);
  const auto start = text.find(before_number);
  if (start == std::string_view::npos) return std::nullopt;
  text.remove_prefix(start + 1);
  return base::to_decimal(base::take_field(text));
}

// The first line that says what was wrong, or the last one.
std::string complaint(std::string_view output) {
  std::string_view last;
  while (!output.empty()) {
    const std::string_view line = base::trim(base::take_until(output, '\n'));
    if (!line.empty()) last = line;
    if (line.starts_with("FATAL")) break;
  }
  constexpr std::size_t longest = 200;
  return base::printable(last, longest);
}

}  // namespace

std::vector<std::string> sysbench_words(const std::string& program, const std::string& test,
                                        const std::string& socket, int connections,
                                        const std::string& action) {
  return {program,
          test,
          "--mysql-socket=" + socket,
          "--mysql-user=root",
          "--mysql-db=sbtest",
          "--tables=" + std::to_string(mariadb_tables),
          "--table-size=" + std::to_string(mariadb_table_rows),
          "--threads=" + std::to_string(connections),
          "--percentile=99",
          action};
}

base::Result<SysbenchResult> parse_sysbench(std::string_view output) {
  // "    transactions:   46733  (23352.63 per sec.)" and "         99th percentile:   5.28".
  const auto rate = number_behind(output, "transactions:", '(');
  const auto p99 = number_behind(output, "99th percentile:", ':');
  if (rate && p99) return SysbenchResult{*rate, *p99};
  return base::Error{"sysbench prints no result: " + complaint(output)};
}

}  // namespace weft::tool
