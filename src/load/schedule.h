// SPDX-License-Identifier: Apache-2.0
// The schedule: the intended start of every request, made before the run from segments and a seed.
//
// A segment is a stretch of time with a rate, or a rate that goes from one to another. Every shape
// of load (steady, ramp, bursts, on and off) is a list of segments. Arrivals are the points of a
// process with rate 1, mapped through the integral of the rate: whole numbers for uniform spacing,
// sums of exponential steps for Poisson's. So what a segment leaves over goes on in the next one.
//
// Rejected: drawing the pause to the next request while the run goes on. A generator that is late
// would then push everything behind it, and nobody could say afterwards what was meant.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace weft::load {

using std::chrono::nanoseconds;

enum class PhaseKind : std::uint8_t { quiet, burst, recovery };
const char* name_of(PhaseKind kind) noexcept;

enum class Spacing : std::uint8_t { poisson, uniform };

struct Segment {
  nanoseconds length{0};
  double rate_at_begin = 0;  // requests a second
  double rate_at_end = 0;
  Spacing spacing = Spacing::poisson;
  PhaseKind kind = PhaseKind::quiet;
  unsigned together = 1;  // so many start at the same instant, and groups are the rarer for it
};

// A part of the run with a name: "quiet", "burst 2", "recovery 2". Neighbours of one kind are one.
struct Phase {
  std::string name;
  PhaseKind kind = PhaseKind::quiet;
  nanoseconds begin{0};
  nanoseconds end{0};
};

struct Schedule {
  std::vector<nanoseconds> starts;  // ascending, from the start of the run
  std::vector<Phase> phases;        // one behind the other, from 0 to length
  nanoseconds length{0};
  std::uint64_t seed = 0;
};

// Shapes. Rates are in requests a second.
std::vector<Segment> steady(double rate, nanoseconds length, Spacing spacing);
std::vector<Segment> ramp(double from, double to, nanoseconds length, Spacing spacing);
std::vector<Segment> on_off(double rate, nanoseconds on, nanoseconds off, nanoseconds length,
                            Spacing spacing);

struct Burst {
  double rate = 0;
  nanoseconds length{0};
  nanoseconds period{0};
};
// In each period half of the base comes first as the quiet, then the burst, then the recovery.
std::vector<Segment> square_bursts(double base_rate, const Burst& burst, nanoseconds length,
                                   Spacing spacing);

// The burst test that this project began with: 200 a second for 25 s, then 1,500 requests in 5 s,
// a hundred at a time, then 5 s at 200; three times. `length` (105 s for the original) stretches
// it.
std::vector<Segment> original_burst_test(nanoseconds length, unsigned width = 100);

// How many requests the segments ask for, on the average.
double expected_requests(const std::vector<Segment>& segments);

// An Error where the segments cannot be kept: no length, no request at all, more requests than
// `most_requests`, more phases than a sample can name. The same segments and seed give the same.
base::Result<Schedule> make_schedule(const std::vector<Segment>& segments, std::uint64_t seed,
                                     std::size_t most_requests = 10'000'000);

// Of each start, the index of its phase.
std::vector<std::uint16_t> phases_of(const Schedule& schedule);

}  // namespace weft::load
