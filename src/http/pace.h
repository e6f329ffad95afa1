// SPDX-License-Identifier: Apache-2.0
// Pace: how fast a peer must send or take bytes, as a pure function of times.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace weft::http {

// Only the type is used: nobody in here asks what time it is.
using TimePoint = std::chrono::steady_clock::time_point;

struct Pace {
  std::chrono::milliseconds grace{5'000};           // before any byte is due
  std::uint64_t bytes_per_second = 1024;            // on average from then on
  std::chrono::milliseconds longest_pause{30'000};  // however fast it was before
};

// When a transfer that has moved so many bytes is too slow, should no byte follow.
constexpr TimePoint pace_deadline(const Pace& pace, TimePoint started, TimePoint last_byte,
                                  std::uint64_t bytes) noexcept {
  constexpr std::uint64_t a_year = 31'536'000;  // in seconds, so that nothing overflows
  const std::uint64_t rate = std::max<std::uint64_t>(pace.bytes_per_second, 1);
  const std::uint64_t seconds = std::min(bytes / rate, a_year);
  const std::uint64_t rest = (bytes % rate) * 1000 / rate;
  const auto earned = std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000 + rest));
  return std::min(started + pace.grace + earned, last_byte + pace.longest_pause);
}

}  // namespace weft::http
