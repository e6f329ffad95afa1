// SPDX-License-Identifier: Apache-2.0
// What the runs of `weft bench mariadb` have shown, as rows with bars and as tables for people.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/benchmark.h"
#include "bench_mariadb_table.h"

namespace weft::tool {

enum class MariadbMode : std::size_t { native, pool, weft };
inline constexpr std::size_t mariadb_mode_count = 3;

const char* name_of(MariadbMode mode);

// Numbers of one run.
struct MariadbSample {
  double transactions_a_second = 0;
  double p99_milliseconds = 0;
  // Of the server, for each query.
  double user_microseconds = 0;
  double system_microseconds = 0;
  double switches = 0;  // of the kernel, between threads
  // How much of one CPU was used.
  double server_cpu = 0;
  double client_cpu = 0;
};

// All runs of one comparison.
struct MariadbSamples {
  MariadbComparison comparison;
  // By mode and round; none where the run has failed.
  std::array<std::vector<std::optional<MariadbSample>>, mariadb_mode_count> rounds{};
  std::vector<std::string> failures{};  // which run, and what was said

  std::vector<std::optional<MariadbSample>>& of(MariadbMode mode) {
    return rounds[static_cast<std::size_t>(mode)];
  }
  const std::vector<std::optional<MariadbSample>>& of(MariadbMode mode) const {
    return rounds[static_cast<std::size_t>(mode)];
  }
};

// Adds rows, notes and the summary. What has failed is a row whose bar does not hold.
void add_to_report(const std::vector<MariadbSamples>& all, std::uint64_t seed,
                   bench::Report& report);

}  // namespace weft::tool
