// SPDX-License-Identifier: Apache-2.0
// What MariaDB is loaded with, where its server and the load run, and which bars weft must clear.
#pragma once

#include <string>
#include <vector>

namespace weft::tool {

// Where the server and its load run: each on a CPU of its own, or both on the same two.
enum class MariadbPlacement { apart, shared };

// Whether the load runs as it is or under weft too, in all modes alike: where the CPU of the load
// is the limit, the server is not what is measured.
enum class MariadbClient { native, weft };

struct MariadbComparison {
  const char* test;   // as sysbench calls it
  const char* title;  // as the report does
  unsigned connections;
  MariadbPlacement placement;
  MariadbClient client;
  // Bars on weft's ratios: transactions a second to native and to the pool, P99 to native.
  double least_to_native;
  double least_to_pool;
  double most_p99_to_native;
  bool quick = false;  // part of --quick
};

const std::vector<MariadbComparison>& mariadb_comparisons();

// As the report calls it: "point-select, 64".
std::string name_of(const MariadbComparison& comparison);

}  // namespace weft::tool
