// SPDX-License-Identifier: Apache-2.0
// Which line of which file.
#include "admission/pressure_sample.h"

#include <algorithm>

namespace weft::admission {
namespace {

using budget::Resource;
using budget::Scope;

const budget::StallReading* reading_of(const budget::Pressure& pressure, Resource resource,
                                       Scope scope) {
  for (const budget::StallReading& reading : pressure.stalls) {
    if (reading.resource == resource && reading.scope == scope && reading.available()) {
      return &reading;
    }
  }
  return nullptr;
}

std::optional<StallSample> sample_of(const std::optional<budget::Stall>& stall) {
  if (!stall) return std::nullopt;
  return StallSample{stall->average_10s, stall->average_60s, stall->total};
}

std::optional<StallSample> full_of(const budget::Pressure& pressure, Resource resource) {
  const budget::StallReading* reading = reading_of(pressure, resource, Scope::cgroup);
  if (reading == nullptr) reading = reading_of(pressure, resource, Scope::system);
  return reading == nullptr ? std::nullopt : sample_of(reading->full);
}

std::optional<double> throttled_share(const budget::Pressure& now, const budget::Pressure& before) {
  std::optional<double> most;
  for (const budget::Throttling& level : now.throttling) {
    const auto earlier = std::find_if(
        before.throttling.begin(), before.throttling.end(),
        [&](const budget::Throttling& candidate) { return candidate.where == level.where; });
    if (earlier == before.throttling.end() || level.periods < earlier->periods ||
        level.throttled_periods < earlier->throttled_periods) {
      continue;
    }
    const auto periods = static_cast<double>(level.periods - earlier->periods);
    const auto throttled =
        static_cast<double>(level.throttled_periods - earlier->throttled_periods);
    const double share = periods > 0 ? std::min(throttled / periods, 1.0) : 0.0;
    most = std::max(most.value_or(0), share);
  }
  return most;
}

}  // namespace

PressureSample pressure_sample(const budget::Pressure& now, const budget::Pressure& before) {
  PressureSample sample;
  const budget::StallReading* const own = reading_of(now, Resource::cpu, Scope::cgroup);
  const budget::StallReading* const all = reading_of(now, Resource::cpu, Scope::system);
  if (own != nullptr) sample.cpu_full = sample_of(own->full);
  if (const auto* const reading = own != nullptr ? own : all; reading != nullptr) {
    sample.cpu_some = sample_of(reading->some);
  }
  sample.memory_full = full_of(now, Resource::memory);
  sample.io_full = full_of(now, Resource::io);
  sample.throttled = throttled_share(now, before);
  return sample;
}

}  // namespace weft::admission
