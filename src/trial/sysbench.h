// SPDX-License-Identifier: Apache-2.0
// sysbench's words, and what it prints as numbers.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace weft::trial {

// Where it looks for its tables unless told otherwise.
inline constexpr const char* sysbench_database = "sbtest";

// What the server is loaded with. The number of connections is that of the load: preparing needs
// one.
struct SysbenchPlan {
  std::string program{};
  std::string socket{};
  std::string test = "oltp_point_select";  // as sysbench calls it
  unsigned connections = 1;
  int tables = 1;
  int table_rows = 10'000;
};

std::vector<std::string> words_to_prepare(const SysbenchPlan& plan);
std::vector<std::string> words_to_run(const SysbenchPlan& plan, std::chrono::seconds duration);

struct SysbenchOutput {
  double transactions = 0;
  double queries = 0;
  double seconds = 0;  // from when all connections were there
  double p50_milliseconds = 0;
  double p99_milliseconds = 0;

  double transactions_a_second() const noexcept { return transactions / seconds; }
  double queries_a_second() const noexcept { return queries / seconds; }
};

// What a run printed. The Error quotes the complaint in a text that has no such numbers.
base::Result<SysbenchOutput> parse_sysbench(std::string_view text);

// Whether all connections are there and the time of the run goes.
bool has_begun(std::string_view text);

}  // namespace weft::trial
