// SPDX-License-Identifier: Apache-2.0
// History: the last minutes of a server, an interval a row, in memory that does not grow.
//
// Who looks gives what all counters say at a moment; a row is what lies between two such looks:
// rates by the time that really passed, and quantiles of that interval alone, from the difference
// of two snapshots of a histogram. What there is not, is not zero: it is `nothing`.
#pragma once

#include <weft/pool.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "serve/counters.h"
#include "serve/machine.h"

namespace weft::serve {

// What all counters say at a moment.
struct Look {
  struct OfPool {
    PoolCounters counters;
    measure::Snapshot waited;
  };
  std::chrono::steady_clock::time_point at;
  Totals totals;
  std::optional<OfPool> pool;  // none: connections have no pool
  MachineNumbers machine;
};

enum class Series : std::uint8_t {
#define SERIES(name) name,
#include "serve/history_series.def"
#undef SERIES
};

inline constexpr std::string_view series_names[] = {
#define SERIES(name) #name,
#include "serve/history_series.def"
#undef SERIES
};
inline constexpr std::size_t series_count = std::size(series_names);

inline constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

class Row {
 public:
  Row() noexcept { values_.fill(nothing); }
  double& operator[](Series series) noexcept { return values_[static_cast<std::size_t>(series)]; }
  double operator[](Series series) const noexcept {
    return values_[static_cast<std::size_t>(series)];
  }
  const std::array<double, series_count>& values() const noexcept { return values_; }

  std::chrono::steady_clock::time_point at;  // the end of the interval

 private:
  std::array<double, series_count> values_;
};

// Precondition: `now` is later, of the same server.
Row row_between(const Look& before, const Look& now);

class History {
 public:
  explicit History(std::size_t most_rows) : most_rows_(most_rows) {}

  // The first look gives no row.
  void add(Look look);

  // Rows are numbered from 1; 0: there is none yet.
  std::uint64_t newest() const noexcept { return newest_; }
  const Look* last_look() const noexcept { return last_ ? &*last_ : nullptr; }
  // Calls with each row that is kept and newer than that, oldest first.
  template <class Call>
  void for_each_after(std::uint64_t number, Call call) const {
    if (number >= newest_) return;
    const std::uint64_t oldest = newest_ - rows_.size() + 1;
    for (std::uint64_t i = std::max(oldest, number + 1); i <= newest_; ++i) {
      call(rows_[(i - 1) % most_rows_]);
    }
  }

 private:
  const std::size_t most_rows_;
  std::vector<Row> rows_;  // row i is at (i - 1) % most_rows_
  std::uint64_t newest_ = 0;
  std::optional<Look> last_;
};

}  // namespace weft::serve
