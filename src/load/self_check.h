// SPDX-License-Identifier: Apache-2.0
// The generator's opinion of itself: was it on time, and had it CPU enough, so that what it
// measured is the server. Pure: numbers in, reasons out.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace weft::load {

using std::chrono::nanoseconds;

// What the generator's threads used, all of them together.
struct Usage {
  nanoseconds wall{0};       // of the run
  nanoseconds cpu{0};        // all of it
  nanoseconds spinning{0};   // of that, while it looked at the clock on purpose
  nanoseconds waited{0};     // ready to run, and not running
  nanoseconds throttled{0};  // of its cgroup, by the CPU quota
  unsigned threads = 1;
};

struct SelfCheck {
  std::vector<std::string> void_because;  // sentences; none: the run stands
  std::vector<std::string> notes;         // worth knowing, and no reason to call it void
  bool is_void() const noexcept { return !void_because.empty(); }
};

inline constexpr double most_slip_share = 0.05;  // of the reported P99, by the P99 of the slip
inline constexpr double most_work_share = 0.80;  // of a thread's time, without spinning

// The share of its threads' time that the generator worked.
double work_share(const Usage& usage) noexcept;

SelfCheck check_open_loop(nanoseconds slip_p99, nanoseconds latency_p99, const Usage& usage);
// A ceiling is measured with the generator at work all the time: that is said, and no fault. Only
// throttling makes it void.
SelfCheck check_closed_loop(const Usage& usage);

}  // namespace weft::load
