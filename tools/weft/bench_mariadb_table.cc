// SPDX-License-Identifier: Apache-2.0
// The table of `weft bench mariadb`.
#include "bench_mariadb_table.h"

namespace weft::tool {
namespace {

constexpr auto apart = MariadbPlacement::apart;
constexpr auto shared = MariadbPlacement::shared;
constexpr auto native = MariadbClient::native;
constexpr auto under_weft = MariadbClient::weft;

constexpr const char* point_select = "oltp_point_select";
constexpr const char* read_write = "oltp_read_write";

constexpr const char* plain = "point-select";
constexpr const char* writing = "read-write";
constexpr const char* sharing = "point-select, shared CPUs";
constexpr const char* faster_load = "point-select, load under weft";

constexpr bool quick = true;

}  // namespace

const std::vector<MariadbComparison>& mariadb_comparisons() {
  static const std::vector<MariadbComparison> table = {
      {point_select, plain, 16, apart, native, 3.0, 1.15, 0.25},
      {point_select, plain, 64, apart, native, 3.0, 1.25, 0.25, quick},
      {point_select, plain, 256, apart, native, 2.5, 1.15, 0.25},
      {point_select, plain, 512, apart, native, 2.5, 1.15, 0.25},
      {point_select, plain, 1024, apart, native, 2.5, 1.15, 0.25},
      {read_write, writing, 64, apart, native, 2.0, 1.1, 0.5, quick},
      {read_write, writing, 256, apart, native, 2.0, 1.1, 0.5},

      {point_select, faster_load, 16, apart, under_weft, 3.0, 1.15, 0.25},
      {point_select, faster_load, 64, apart, under_weft, 3.0, 1.25, 0.25, quick},
      {point_select, faster_load, 256, apart, under_weft, 2.5, 1.15, 0.25},
      {point_select, faster_load, 512, apart, under_weft, 2.5, 1.15, 0.25},
      {point_select, faster_load, 1024, apart, under_weft, 2.5, 1.15, 0.25},

      {point_select, sharing, 64, shared, native, 2.0, 1.5, 0.5, quick},
      {point_select, sharing, 256, shared, native, 2.0, 1.5, 0.5},
  };
  return table;
}

std::string name_of(const MariadbComparison& comparison) {
  return std::string(comparison.title) + ", " + std::to_string(comparison.connections);
}

}  // namespace weft::tool
