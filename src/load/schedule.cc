// SPDX-License-Identifier: Apache-2.0
// Arrivals out of segments: points of a process with rate 1, mapped through the rate's integral.
#include "load/schedule.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "base/text.h"

namespace weft::load {
namespace {

constexpr std::size_t most_phases = std::numeric_limits<std::uint16_t>::max();
// Points closer to the end than this belong to the next segment: k / rate is not exact.
constexpr double rounding = 1e-6;

double seconds_of(nanoseconds length) {
  return std::chrono::duration<double>(length).count();
}

// Groups of requests, on the average.
double groups_of(const Segment& segment) {
  return seconds_of(segment.length) * (segment.rate_at_begin + segment.rate_at_end) / 2 /
         segment.together;
}

// When, in seconds from its begin, the segment has seen so many groups.
double time_of(const Segment& segment, double groups) {
  if (groups <= 0) return 0;  // else 0 / 0 where a ramp begins at rate 0
  const double begin = segment.rate_at_begin / segment.together;
  const double slope =
      (segment.rate_at_end - segment.rate_at_begin) / segment.together / seconds_of(segment.length);
  // Of begin * t + slope / 2 * t * t = groups, in the form that needs no division by the slope.
  return 2 * groups / (begin + std::sqrt(std::max(0.0, begin * begin + 2 * slope * groups)));
}

// The distance from one point to the next: uniform ones are 1 apart.
class Steps {
 public:
  explicit Steps(std::uint64_t seed) : engine_(seed) {}

  double next(Spacing spacing) {
    if (spacing == Spacing::uniform) return 1;
    // By hand: std::exponential_distribution may differ from one library to another.
    constexpr double scale = 1.0 / (1ULL << 53);
    return -std::log1p(-static_cast<double>(engine_() >> 11) * scale);
  }

 private:
  std::mt19937_64 engine_;
};

void add_phase(Schedule& schedule, const Segment& segment, nanoseconds begin, unsigned& bursts) {
  const nanoseconds end = begin + segment.length;
  if (!schedule.phases.empty() && schedule.phases.back().kind == segment.kind) {
    schedule.phases.back().end = end;
    return;
  }
  if (segment.kind == PhaseKind::burst) ++bursts;
  std::string name = name_of(segment.kind);
  if (segment.kind != PhaseKind::quiet) name += " " + std::to_string(bursts);
  schedule.phases.push_back({std::move(name), segment.kind, begin, end});
}

base::Status check(const std::vector<Segment>& segments, std::size_t most_requests) {
  double seconds = 0;
  for (const Segment& segment : segments) {
    if (segment.length <= nanoseconds{0})
      return base::Error{"a part of the schedule has no length"};
    const bool fine = std::isfinite(segment.rate_at_begin) && std::isfinite(segment.rate_at_end) &&
                      segment.rate_at_begin >= 0 && segment.rate_at_end >= 0;
    if (!fine) return base::Error{"a rate of the schedule is negative, or no number"};
    if (segment.together == 0) return base::Error{"a part of the schedule starts none at a time"};
    seconds += seconds_of(segment.length);
  }
  if (segments.empty()) return base::Error{"the schedule is empty"};
  constexpr double longest_seconds = 7 * 24 * 3600.0;
  if (seconds > longest_seconds) return base::Error{"the schedule is longer than a week"};
  const double expected = expected_requests(segments);
  if (expected <= 0) return base::Error{"the schedule has no request in it: every rate is 0"};
  if (expected > static_cast<double>(most_requests)) {
    return base::Error{"the schedule has about " + base::to_text(expected, 0) +
                       " requests, and there is room for the samples of " +
                       std::to_string(most_requests) + "; lower the rate or the duration"};
  }
  return base::Done{};
}

}  // namespace

const char* name_of(PhaseKind kind) noexcept {
  switch (kind) {
    case PhaseKind::quiet:
      return "quiet";
    case PhaseKind::burst:
      return "burst";
    case PhaseKind::recovery:
      return "recovery";
  }
  return "?";
}

double expected_requests(const std::vector<Segment>& segments) {
  double all = 0;
  for (const Segment& segment : segments) all += groups_of(segment) * segment.together;
  return all;
}

base::Result<Schedule> make_schedule(const std::vector<Segment>& segments, std::uint64_t seed,
                                     std::size_t most_requests) {
  if (auto fine = check(segments, most_requests); !fine) return fine.error();
  Schedule schedule;
  schedule.seed = seed;
  schedule.starts.reserve(static_cast<std::size_t>(expected_requests(segments) * 1.01) + 16);
  Steps steps(seed);
  unsigned bursts = 0;
  nanoseconds begin{0};
  double next = 0;  // the next point, in groups from the begin of the segment
  const Segment* before = nullptr;
  for (const Segment& segment : segments) {
    add_phase(schedule, segment, begin, bursts);
    // What is spaced as before goes on; else Poisson draws anew, and uniform starts at once.
    const bool goes_on = before != nullptr && before->spacing == segment.spacing &&
                         before->together == segment.together;
    if (!goes_on) next = segment.spacing == Spacing::uniform ? 0 : steps.next(segment.spacing);
    before = &segment;
    const double groups = groups_of(segment);
    while (next < groups - rounding) {
      const nanoseconds at{std::llround(time_of(segment, next) * 1e9)};
      const nanoseconds start = begin + std::min(at, segment.length - nanoseconds{1});
      schedule.starts.insert(schedule.starts.end(), segment.together, start);
      next += steps.next(segment.spacing);
    }
    next = std::max(0.0, next - groups);
    begin += segment.length;
  }
  schedule.length = begin;
  if (schedule.phases.size() > most_phases) {
    return base::Error{"the schedule has " + std::to_string(schedule.phases.size()) +
                       " phases, and there can be " + std::to_string(most_phases) +
                       "; make the bursts rarer or the run shorter"};
  }
  if (schedule.starts.empty()) {
    return base::Error{
        "by the lot of this seed no request falls into the schedule; raise the rate"};
  }
  return schedule;
}

std::vector<std::uint16_t> phases_of(const Schedule& schedule) {
  std::vector<std::uint16_t> indices;
  indices.reserve(schedule.starts.size());
  std::uint16_t phase = 0;
  for (const nanoseconds start : schedule.starts) {
    while (start >= schedule.phases[phase].end && phase + 1U < schedule.phases.size()) ++phase;
    indices.push_back(phase);
  }
  return indices;
}

}  // namespace weft::load
