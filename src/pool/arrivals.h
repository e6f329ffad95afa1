// SPDX-License-Identifier: Apache-2.0
// When jobs arrive: from a rate that changes with time, evenly or by chance with a seed.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace weft::pool {

using std::chrono::nanoseconds;

// Jobs a second, at a time.
using Rate = std::function<double(nanoseconds)>;

Rate constant_rate(double rate);
Rate step_rate(double before, double after, nanoseconds at);
// Rises, or falls, evenly in between.
Rate ramp_rate(double before, double after, nanoseconds from, nanoseconds to);
// High for the first half of each period; low is 0 for on and off.
Rate square_rate(double high, double low, nanoseconds period);

// In order, before `until`. With a seed they come by chance (Poisson), the same for the same seed.
std::vector<nanoseconds> arrivals(const Rate& rate, nanoseconds until,
                                  std::optional<std::uint64_t> seed = std::nullopt);

}  // namespace weft::pool
