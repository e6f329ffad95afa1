// SPDX-License-Identifier: Apache-2.0
// Prints how soon work stops after its client has gone, its deadline has passed, or the process
// ends: for each place that it may wait in, with the servers that are installed.
//
//   cancel_times [ROUNDS]
//
// Beside each, what the machine itself did at the same moments (stalls.h): of those that took
// longer than 5 ms, how many had a CPU that woke a bare sleeper late by most of that time.
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "tests/kit/stalls.h"
#include "tests/kit/stop_times.h"
#include "tests/sql/servers.h"

namespace weft::kit {
namespace {

double milliseconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

void print(const Place& place, CancelReason reason, int rounds) {
  using namespace std::chrono_literals;
  const Stalls stalls;
  const StopTimes stops = stop_times(place, reason, rounds);
  std::this_thread::sleep_for(100ms);  // for stalls that have not ended
  int late = 0;
  int by_machine = 0;
  for (const auto& [told, stopped] : stops.stops) {
    if (stopped - told < 5ms) continue;
    ++late;
    if (stalls.longest(told, stopped) * 2 > stopped - told) ++by_machine;
  }
  const auto machine = stalls.longest(stops.stops.front().told, stops.stops.back().stopped);
  std::printf("| %s | %s | %.3f | %.3f | %.3f | %d, %d | %.3f |\n", place.name.c_str(),
              to_string(reason), milliseconds(stops.quantile(0.5)),
              milliseconds(stops.quantile(0.99)), milliseconds(stops.times.back()), late,
              by_machine, milliseconds(machine));
  std::fflush(stdout);
  if (stops.wrong != 0) std::printf("%d of them for another reason, or none\n", stops.wrong);
}

int run(int rounds) {
  const std::unique_ptr<sql::test::Server> servers[] = {sql::test::make_postgresql(),
                                                        sql::test::make_mariadb()};
  {
    Places places;
    for (const auto& server : servers) {
      if (server == nullptr) continue;
      server->start();
      places.add_database(server->name() + ", a statement", server->url(),
                          server->statement_that_takes(600));
    }
    std::printf(
        "| waits for | stopped by | P50, ms | P99, ms | longest, ms | over 5 ms, by the machine | "
        "longest of a bare sleeper, ms |\n|---|---|---|---|---|---|---|\n");
    for (const Place& place : places.all()) {
      for (const CancelReason reason : reasons) print(place, reason, rounds);
      places.clear_up();
    }
  }
  for (const auto& server : servers) {
    if (server != nullptr) server->stop();
  }
  return 0;
}

}  // namespace
}  // namespace weft::kit

int main(int count, char** words) {
  try {
    return weft::kit::run(count > 1 ? std::max(1, std::atoi(words[1])) : 1000);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
