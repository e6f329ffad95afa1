// SPDX-License-Identifier: Apache-2.0
// Histogram: durations, counted in buckets of one width in 64 of their value.
//
// An octave (from a power of two nanoseconds to the next) is cut into 64 buckets, so a quantile is
// off by 1.6 % at most, from a nanosecond to eighteen minutes; what takes longer counts as that
// long. Anybody records at any time, without locks; who reads takes a Snapshot, which is a plain
// value: it can be added to others, and an earlier one be taken off, for what came in between.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/atomic.h"

namespace weft::measure {

using std::chrono::nanoseconds;

// The bucket of a duration, and the largest duration of a bucket.
std::size_t bucket_of(nanoseconds duration) noexcept;
nanoseconds upper_bound_of(std::size_t bucket) noexcept;
inline constexpr std::size_t bucket_count = std::size_t{36} * 64;

class Snapshot {
 public:
  std::uint64_t count() const noexcept { return count_; }
  nanoseconds sum() const noexcept { return sum_; }
  nanoseconds mean() const noexcept;  // zero of none
  // No more than this is what `share` of all took, from 0 to 1. Zero of none.
  nanoseconds quantile(double share) const noexcept;
  // How many took no longer, give or take a bucket.
  std::uint64_t count_up_to(nanoseconds duration) const noexcept;

  void add(const Snapshot& other);
  // Precondition: `earlier` is of the same histogram, and was taken before.
  void take_off(const Snapshot& earlier);
  void record(nanoseconds duration);  // for who has no Histogram

 private:
  friend class Histogram;
  std::vector<std::uint64_t> counts_;  // empty, or of bucket_count
  std::uint64_t count_ = 0;
  nanoseconds sum_{0};
};

class Histogram {
 public:
  // Negative durations count as zero.
  void record(nanoseconds duration) noexcept;
  Snapshot snapshot() const;

 private:
  std::array<atomic<std::uint64_t>, bucket_count> counts_{};
  atomic<std::uint64_t> sum_nanoseconds_{0};
};

}  // namespace weft::measure
