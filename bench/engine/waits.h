// SPDX-License-Identifier: Apache-2.0
// How long many waits lasted: counted in steps that grow with the duration, so that it stays small.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>

namespace weft::engine {

class Waits {
 public:
  void add(std::chrono::nanoseconds wait) {
    const auto nanoseconds = static_cast<std::uint64_t>(std::max<std::int64_t>(wait.count(), 0));
    ++steps_[step_of(nanoseconds)];
    longest_ = std::max(longest_, nanoseconds);
  }
  void add(const Waits& other) {
    for (std::size_t i = 0; i < steps_.size(); ++i) steps_[i] += other.steps_[i];
    longest_ = std::max(longest_, other.longest_);
  }

  double longest_us() const { return static_cast<double>(longest_) / 1000; }

  // Below which that share of the waits lies, to an eighth of it.
  double quantile_us(double share) const {
    std::uint64_t all = 0;
    for (const std::uint64_t count : steps_) all += count;
    auto left = static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(all)));
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      if (steps_[i] >= left) return static_cast<double>(end_of(i)) / 1000;
      left -= steps_[i];
    }
    return longest_us();
  }

 private:
  // Eight steps for each power of two.
  static constexpr unsigned fraction_bits = 3;
  static constexpr std::uint64_t fractions = 1U << fraction_bits;

  static std::size_t step_of(std::uint64_t value) {
    if (value < fractions) return value;
    const auto shift = static_cast<unsigned>(std::bit_width(value)) - fraction_bits - 1;
    return (shift + 1) * fractions + ((value >> shift) - fractions);
  }
  static std::uint64_t end_of(std::size_t step) {
    if (step < fractions) return step;
    const std::size_t shift = step / fractions - 1;
    return (step % fractions + fractions + 1) << shift;
  }

  std::array<std::uint64_t, 62 * fractions> steps_{};
  std::uint64_t longest_ = 0;
};

}  // namespace weft::engine
