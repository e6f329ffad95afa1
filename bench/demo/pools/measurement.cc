// SPDX-License-Identifier: Apache-2.0
// What one run of a service has shown, and several runs together.
#include "measurement.h"

namespace weft::demo {

double Measurement::jobs_per_second() const {
  return seconds > 0 ? static_cast<double>(job_milliseconds.size()) / seconds : 0;
}

double Measurement::throttled_share() const {
  return periods > 0 ? throttled_periods / periods : 0;
}

void Measurement::add(const Measurement& other) {
  job_milliseconds.insert(job_milliseconds.end(), other.job_milliseconds.begin(),
                          other.job_milliseconds.end());
  ping_milliseconds.insert(ping_milliseconds.end(), other.ping_milliseconds.begin(),
                           other.ping_milliseconds.end());
  seconds += other.seconds;
  threads = other.threads;
  periods += other.periods;
  throttled_periods += other.throttled_periods;
  throttled_seconds += other.throttled_seconds;
}

bench::Numbers to_numbers(const Measurement& measurement) {
  return {measurement.job_milliseconds,
          measurement.ping_milliseconds,
          {measurement.seconds, static_cast<double>(measurement.threads), measurement.periods,
           measurement.throttled_periods, measurement.throttled_seconds}};
}

base::Result<Measurement> from_numbers(const bench::Numbers& numbers) {
  if (numbers.size() != 3 || numbers[2].size() != 5) {
    return base::Error{"the measuring child gave other numbers than it was asked for", 0};
  }
  const std::vector<double>& rest = numbers[2];
  return Measurement{.job_milliseconds = numbers[0],
                     .ping_milliseconds = numbers[1],
                     .seconds = rest[0],
                     .threads = static_cast<unsigned>(rest[1]),
                     .periods = rest[2],
                     .throttled_periods = rest[3],
                     .throttled_seconds = rest[4]};
}

}  // namespace weft::demo
