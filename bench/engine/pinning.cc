// SPDX-License-Identifier: Apache-2.0
// By the affinity that the process was started with.
#include "pinning.h"

#include <sched.h>

#include "measurement.h"

namespace weft::engine {
namespace {

// Asked before anybody is pinned.
const cpu_set_t allowed = [] {
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  sched_getaffinity(0, sizeof cpus, &cpus);
  return cpus;
}();

void pin(unsigned begin, unsigned end) {
  cpu_set_t chosen;
  CPU_ZERO(&chosen);
  unsigned index = 0;
  for (std::size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &allowed)) continue;
    if (index >= begin && index < end) CPU_SET(cpu, &chosen);
    ++index;
  }
  require(index >= end, "there are two CPUs for this process");
  require(sched_setaffinity(0, sizeof chosen, &chosen) == 0, "the affinity can be set");
}

}  // namespace

void pin_to_first(unsigned count) {
  pin(0, count);
}

void pin_to(unsigned index) {
  pin(index, index + 1);
}

}  // namespace weft::engine
