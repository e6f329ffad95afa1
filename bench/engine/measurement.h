// SPDX-License-Identifier: Apache-2.0
// A measurement: one contender measured once, in a process of its own; `weft bench engine` asks for
// them.
//
// A name is what is measured and who does it, "mutex.nptl". A process measures one thing and ends:
// so it may pin itself to CPUs, need ten thousand threads, and have an address layout that is drawn
// anew each time. The comparison (interleaving, ratios, bars) is tools/weft/bench_engine.cc's.
//
// How to add a measurement: a line in the list of its file, and its row in tools/weft.
#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace weft::engine {

// How much is done. Quick: as little as shows that it works.
struct Scale {
  bool quick = false;

  std::chrono::milliseconds time(int milliseconds) const {
    return std::chrono::milliseconds{quick ? 5 : milliseconds};
  }
  unsigned count(unsigned full, unsigned least) const { return quick ? least : full; }
};

// What came out, by name; "value" is what is compared.
using Numbers = std::vector<std::pair<const char*, double>>;

struct Measurement {
  std::string name;
  Numbers (*run)(const Scale& scale);
};
using Measurements = std::vector<Measurement>;

Measurements switch_measurements();
Measurements lock_measurements();
Measurements contention_measurements();
Measurements ping_pong_measurements();
Measurements thread_measurements();
Measurements memory_measurements();
Measurements cpu_measurements();
Measurements burst_measurements();
Measurements echo_measurements();
Measurements stuck_measurements();
// Those of Boost; none where it was not there to build with.
Measurements boost_measurements();

// Ends the process where something must hold and does not; `what` says it as if it did.
void require(bool holds, const char* what);

}  // namespace weft::engine
