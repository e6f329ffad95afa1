// SPDX-License-Identifier: Apache-2.0
// What one run of a server under load has shown, and all runs of one server.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "trial/usage.h"

namespace weft::demo {

enum class Side : std::size_t { native, weft };

struct Trial {
  double requests = 0;
  double seconds = 0;
  double p50_milliseconds = 0;
  double p99_milliseconds = 0;
  trial::UsageBetween server;
  double client_cpu_seconds = 0;

  double requests_per_second() const { return requests / seconds; }
  double cpu_microseconds() const { return 1e6 * server.cpu.seconds() / requests; }
  double switches() const { return server.switches / requests; }
  double server_busy() const { return server.cpu.seconds() / seconds; }
  double client_busy() const { return client_cpu_seconds / seconds; }
};

// trials[side][round]
struct Comparison {
  std::string name;
  unsigned connections = 0;
  std::array<std::vector<Trial>, 2> trials;

  const std::vector<Trial>& of(Side side) const { return trials[static_cast<std::size_t>(side)]; }
  std::vector<Trial>& of(Side side) { return trials[static_cast<std::size_t>(side)]; }
};

}  // namespace weft::demo
