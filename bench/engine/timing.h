// SPDX-License-Identifier: Apache-2.0
// How long one of many takes.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

#include "measurement.h"

namespace weft::engine {

using Clock = std::chrono::steady_clock;

template <class Unit = std::nano>
double since(Clock::time_point begin) {
  return std::chrono::duration<double, Unit>(Clock::now() - begin).count();
}

// Runs `body(count)` with a count that grows until it takes about as long as wanted. Gives the
// nanoseconds of one.
template <class Body>
double nanoseconds_each(std::chrono::nanoseconds wanted, std::uint64_t first_count, Body body) {
  const auto goal = static_cast<double>(wanted.count());
  for (std::uint64_t count = first_count;;) {
    const auto begin = Clock::now();
    body(count);
    const double elapsed = since(begin);
    if (elapsed >= goal * 0.8) return elapsed / static_cast<double>(count);
    const double growth = std::clamp(1.1 * goal / std::max(elapsed, 1.0), 1.5, 8.0);
    count = static_cast<std::uint64_t>(static_cast<double>(count) * growth) + 1;
  }
}

// The same for what takes nanoseconds: the median over short slices, so that an interrupt spoils
// one slice and not the result.
template <class Body>
double nanoseconds_each_by_slices(const Scale& scale, Body body) {
  constexpr std::chrono::microseconds slice{500};
  const double first = nanoseconds_each(slice, 1000, body);
  const auto count = static_cast<std::uint64_t>(static_cast<double>(slice.count()) * 1000 / first);
  std::vector<double> slices(scale.count(81, 3));
  for (double& result : slices) {
    const auto begin = Clock::now();
    body(count);
    result = since(begin) / static_cast<double>(count);
  }
  const auto middle = slices.begin() + static_cast<std::ptrdiff_t>(slices.size() / 2);
  std::nth_element(slices.begin(), middle, slices.end());
  return *middle;
}

}  // namespace weft::engine
