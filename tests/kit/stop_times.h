// SPDX-License-Identifier: Apache-2.0
// How soon work stops after it was told to.
#pragma once

#include <algorithm>
#include <array>
#include <future>
#include <memory>
#include <thread>
#include <vector>

#include "tests/kit/places.h"

namespace weft::kit {

inline constexpr std::array reasons{CancelReason::client, CancelReason::deadline,
                                    CancelReason::shutdown};

struct StopTimes {
  struct Stop {
    Clock::time_point told, stopped;
  };
  std::vector<Stop> stops;                      // in their order
  std::vector<std::chrono::nanoseconds> times;  // sorted
  int wrong = 0;                                // another reason than it was told, or none

  std::chrono::nanoseconds quantile(double share) const {
    return times[static_cast<std::size_t>(share * static_cast<double>(times.size() - 1))];
  }
};

// One after another: begun, waited for until it waits, told, and gone.
inline StopTimes stop_times(const Place& place, CancelReason reason, int rounds) {
  using namespace std::chrono_literals;
  StopTimes result;
  for (int round = 0; round < rounds; ++round) {
    CancelSource process;
    auto told = Clock::now() + 3ms;
    CancelSource request(reason == CancelReason::deadline ? told : Clock::time_point::max(),
                         process.token());
    const auto waits = std::make_shared<std::promise<void>>();
    const auto stopped = std::make_shared<std::promise<Stopped>>();
    place.begin({request.token(), [waits] { waits->set_value(); },
                 [stopped](Stopped end) { stopped->set_value(end); }});
    if (reason != CancelReason::deadline) {
      waits->get_future().wait();
      std::this_thread::sleep_for(200us);  // it waits by then
      told = Clock::now();
      (reason == CancelReason::client ? request : process).cancel(reason);
    }
    const Stopped end = stopped->get_future().get();
    result.stops.push_back({told, end.when});
    result.times.push_back(end.when - told);
    if (end.reason != reason) ++result.wrong;
  }
  std::sort(result.times.begin(), result.times.end());
  return result;
}

}  // namespace weft::kit
