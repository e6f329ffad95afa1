// SPDX-License-Identifier: Apache-2.0
// Shapes of a rate, and the times that follow from it.
#include "pool/arrivals.h"

#include <cmath>
#include <random>

namespace weft::pool {
namespace {

double seconds(nanoseconds duration) {
  return std::chrono::duration<double>(duration).count();
}

}  // namespace

Rate constant_rate(double rate) {
  return [=](nanoseconds) { return rate; };
}

Rate step_rate(double before, double after, nanoseconds at) {
  return [=](nanoseconds now) { return now < at ? before : after; };
}

Rate ramp_rate(double before, double after, nanoseconds from, nanoseconds to) {
  return [=](nanoseconds now) {
    if (now <= from) return before;
    if (now >= to) return after;
    return before + (after - before) * seconds(now - from) / seconds(to - from);
  };
}

Rate square_rate(double high, double low, nanoseconds period) {
  return [=](nanoseconds now) { return now % period < period / 2 ? high : low; };
}

std::vector<nanoseconds> arrivals(const Rate& rate, nanoseconds until,
                                  std::optional<std::uint64_t> seed) {
  constexpr nanoseconds step = std::chrono::microseconds(10);
  std::mt19937_64 chance(seed.value_or(0));
  const auto next_gap = [&] {  // in expected arrivals
    if (!seed) return 1.0;
    const double uniform = (static_cast<double>(chance() >> 11) + 1) * 0x1p-53;
    return -std::log(uniform);
  };
  std::vector<nanoseconds> times;
  double left = next_gap();
  for (nanoseconds now{0}; now < until; now += step) {
    left -= rate(now) * seconds(step);
    while (left <= 0) {
      times.push_back(now);
      left += next_gap();
    }
  }
  return times;
}

}  // namespace weft::pool
