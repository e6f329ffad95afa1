// SPDX-License-Identifier: Apache-2.0
// What the samples of a run come to: quantiles, bursts and recovery apart, counts by kind. Pure.
//
// Latency is the end minus the INTENDED start. Two rows are kept apart, so that a server that says
// no at once does not look fast:
//   served    good answers, and what never got a whole answer: that counts with the time-out
//   rejected  whole answers of 400 and above, with the time they took
// What a stopped run did not finish is counted, and is in neither.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "load/sample.h"
#include "load/schedule.h"

namespace weft::load {

struct Quantiles {
  std::uint64_t count = 0;
  nanoseconds p50{0};
  nanoseconds p90{0};
  nanoseconds p99{0};
  nanoseconds p999{0};
  nanoseconds p9999{0};
  nanoseconds max{0};
  nanoseconds mean{0};
};

// The smallest value that at least `share` of all do not exceed. Precondition: ascending, not
// empty.
nanoseconds quantile(const std::vector<nanoseconds>& ascending, double share);
Quantiles quantiles_of(std::vector<nanoseconds> values);

// How one burst went, and what came after.
struct BurstSummary {
  std::string name;
  Quantiles served;
  // From the end of the burst until it was over; nothing: not before the next one, or the end.
  std::optional<nanoseconds> recovery;
};

struct Summary {
  Quantiles served;
  Quantiles rejected;
  Quantiles in_bursts;  // of what is served
  Quantiles between;    // the same, outside of bursts
  std::vector<BurstSummary> bursts;
  Quantiles slip;  // begun minus intended, of all
  Quantiles first_byte;
  Quantiles connect;  // of the requests that had to
  Counts counts{};
  std::map<unsigned, std::uint64_t> statuses;
  std::uint64_t waited_for_connection = 0;  // because as many were open as may be
  double offered_rate = 0;                  // a second, as intended
  double answered_rate = 0;                 // whole answers
  double goodput = 0;                       // good ones
};

// The latency of a sample as it counts. Precondition: it is finished.
nanoseconds latency_of(const Sample& sample, nanoseconds timeout) noexcept;
constexpr bool is_served(Outcome outcome) noexcept {
  return outcome != Outcome::unfinished && (outcome == Outcome::good || !is_answered(outcome));
}

Summary summarise(const std::vector<Sample>& samples, const std::vector<Phase>& phases,
                  nanoseconds length, nanoseconds timeout);

// A burst is over with the first request, by intended start, from which on 19 of 20 in a row are no
// slower than `bound`; where fewer than 20 are left before the next burst, all but one of these.
// `after` is what was intended behind the burst, in order, as (start, latency).
struct Timed {
  nanoseconds start{0};
  nanoseconds latency{0};
};
std::optional<nanoseconds> recovery_time(const std::vector<Timed>& after, nanoseconds burst_end,
                                         nanoseconds bound);
// By which recovery is told: half as much again as the P99 of the quiet phases.
inline constexpr double recovered_at = 1.5;

}  // namespace weft::load
