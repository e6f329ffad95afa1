// SPDX-License-Identifier: Apache-2.0
// The shapes of load, each as a list of segments.
#include <algorithm>
#include <chrono>

#include "load/schedule.h"

namespace weft::load {
namespace {

// Adds segments in turn until `length` is full; the last one is cut.
void fill(std::vector<Segment>& all, const std::vector<Segment>& cycle, nanoseconds length) {
  nanoseconds left = length;
  while (left > nanoseconds{0}) {
    const nanoseconds before = left;
    for (const Segment& segment : cycle) {
      if (left <= nanoseconds{0}) return;
      Segment next = segment;
      next.length = std::min(segment.length, left);
      left -= next.length;
      if (next.length > nanoseconds{0}) all.push_back(next);
    }
    if (left == before) return;  // a cycle without length
  }
}

nanoseconds part(nanoseconds length, double share) {
  return nanoseconds{static_cast<std::int64_t>(static_cast<double>(length.count()) * share)};
}

}  // namespace

std::vector<Segment> steady(double rate, nanoseconds length, Spacing spacing) {
  return {{length, rate, rate, spacing}};
}

std::vector<Segment> ramp(double from, double to, nanoseconds length, Spacing spacing) {
  return {{length, from, to, spacing}};
}

std::vector<Segment> on_off(double rate, nanoseconds on, nanoseconds off, nanoseconds length,
                            Spacing spacing) {
  std::vector<Segment> all;
  fill(all,
       {{on, rate, rate, spacing, PhaseKind::burst}, {off, 0, 0, spacing, PhaseKind::recovery}},
       length);
  return all;
}

std::vector<Segment> square_bursts(double base_rate, const Burst& burst, nanoseconds length,
                                   Spacing spacing) {
  const nanoseconds between = burst.period - burst.length;
  const nanoseconds quiet = between / 2;
  std::vector<Segment> all;
  fill(all,
       {{quiet, base_rate, base_rate, spacing, PhaseKind::quiet},
        {burst.length, burst.rate, burst.rate, spacing, PhaseKind::burst},
        {between - quiet, base_rate, base_rate, spacing, PhaseKind::recovery}},
       length);
  return all;
}

std::vector<Segment> original_burst_test(nanoseconds length, unsigned width) {
  constexpr int cycles = 3;
  constexpr double base_rate = 200;
  constexpr double spike_rate = 300;
  const nanoseconds cycle = length / cycles;
  const nanoseconds quiet = part(cycle, 25.0 / 35);
  const nanoseconds spike = part(cycle, 5.0 / 35);
  std::vector<Segment> all;
  for (int i = 0; i < cycles; ++i) {
    all.push_back({quiet, base_rate, base_rate, Spacing::poisson, PhaseKind::quiet});
    all.push_back({spike, spike_rate, spike_rate, Spacing::uniform, PhaseKind::burst, width});
    all.push_back(
        {cycle - quiet - spike, base_rate, base_rate, Spacing::poisson, PhaseKind::recovery});
  }
  return all;
}

}  // namespace weft::load
