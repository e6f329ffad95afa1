// SPDX-License-Identifier: Apache-2.0
// Schedules as people write them: "200ms", "2000:200ms/2s", "10x:20ms/1s". Pure.
#pragma once

#include <string_view>

#include "base/result.h"
#include "load/schedule.h"

namespace weft::load {

// "50us", "1.5s", "2m", "1h"; a number with its unit. Above 0.
base::Result<nanoseconds> parse_duration(std::string_view text);
// Requests a second, a plain number above 0.
base::Result<double> parse_rate(std::string_view text);
// "RATE:LENGTH/PERIOD"; a rate such as "10x" is so many times `base_rate`. An Error where the burst
// is as long as its period.
base::Result<Burst> parse_burst(std::string_view text, double base_rate);

struct OnOff {
  nanoseconds on{0};
  nanoseconds off{0};
};
// "ON/OFF"
base::Result<OnOff> parse_on_off(std::string_view text);

}  // namespace weft::load
