// SPDX-License-Identifier: Apache-2.0
// The mix: fibers that lock, wait, sleep, talk over sockets, go home, make and join others.
#pragma once

#include <cstdint>

namespace weft::stress {

struct Mix {
  std::uint32_t workers = 1;
  std::uint32_t fibers = 10'000;
  std::uint32_t steps = 12;  // of each fiber
  std::uint64_t seed = 1;
  bool monitored = true;
};

// Runs it to the end; aborts on a wrong sum, and on a hang with a dump.
void run_mix(const Mix& mix);

// Two threads that hand a turn to each other by a condition variable.
void run_ping_pong(std::uint32_t workers, std::uint64_t rounds, bool monitored);

}  // namespace weft::stress
