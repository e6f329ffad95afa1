// SPDX-License-Identifier: Apache-2.0
// Buckets and quantiles.
#include "measure/histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace weft::measure {
namespace {

constexpr unsigned sub_bucket_bits = 6;
constexpr std::uint64_t sub_buckets = 1U << sub_bucket_bits;

std::uint64_t nanoseconds_of(nanoseconds duration) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(duration.count(), 0));
}

}  // namespace

std::size_t bucket_of(nanoseconds duration) noexcept {
  const std::uint64_t value = nanoseconds_of(duration);
  if (value < sub_buckets) return value;  // exact
  const auto octave = static_cast<unsigned>(std::bit_width(value)) - 1 - sub_bucket_bits;
  const std::uint64_t within = (value >> octave) - sub_buckets;
  return std::min<std::size_t>((octave + 1) * sub_buckets + within, bucket_count - 1);
}

nanoseconds upper_bound_of(std::size_t bucket) noexcept {
  if (bucket < sub_buckets) return nanoseconds{static_cast<std::int64_t>(bucket)};
  const std::size_t octave = bucket / sub_buckets - 1;
  const std::uint64_t within = bucket % sub_buckets + sub_buckets;
  return nanoseconds{static_cast<std::int64_t>(((within + 1) << octave) - 1)};
}

nanoseconds Snapshot::mean() const noexcept {
  return count_ == 0 ? nanoseconds{0} : sum_ / static_cast<std::int64_t>(count_);
}

nanoseconds Snapshot::quantile(double share) const noexcept {
  if (count_ == 0) return nanoseconds{0};
  const double wanted = std::ceil(std::clamp(share, 0.0, 1.0) * static_cast<double>(count_));
  const auto rank = std::max<std::uint64_t>(static_cast<std::uint64_t>(wanted), 1);
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    seen += counts_[i];
    if (seen >= rank) return upper_bound_of(i);
  }
  return upper_bound_of(bucket_count - 1);
}

std::uint64_t Snapshot::count_up_to(nanoseconds duration) const noexcept {
  if (counts_.empty() || duration.count() < 0) return 0;
  std::uint64_t count = 0;
  for (std::size_t i = 0; i <= bucket_of(duration); ++i) count += counts_[i];
  return count;
}

void Snapshot::add(const Snapshot& other) {
  counts_.resize(bucket_count);
  for (std::size_t i = 0; i < other.counts_.size(); ++i) counts_[i] += other.counts_[i];
  count_ += other.count_;
  sum_ += other.sum_;
}

void Snapshot::take_off(const Snapshot& earlier) {
  counts_.resize(bucket_count);
  for (std::size_t i = 0; i < earlier.counts_.size(); ++i) counts_[i] -= earlier.counts_[i];
  count_ -= earlier.count_;
  sum_ -= earlier.sum_;
}

void Snapshot::record(nanoseconds duration) {
  counts_.resize(bucket_count);
  ++counts_[bucket_of(duration)];
  ++count_;
  sum_ += std::max(duration, nanoseconds{0});
}

void Histogram::record(nanoseconds duration) noexcept {
  counts_[bucket_of(duration)].fetch_add(1, std::memory_order_relaxed);
  sum_nanoseconds_.fetch_add(nanoseconds_of(duration), std::memory_order_relaxed);
}

Snapshot Histogram::snapshot() const {
  Snapshot snapshot;
  snapshot.counts_.resize(bucket_count);
  for (std::size_t i = 0; i < bucket_count; ++i) {
    snapshot.counts_[i] = counts_[i].load(std::memory_order_relaxed);
    snapshot.count_ += snapshot.counts_[i];
  }
  snapshot.sum_ =
      nanoseconds{static_cast<std::int64_t>(sum_nanoseconds_.load(std::memory_order_relaxed))};
  return snapshot;
}

}  // namespace weft::measure
