// SPDX-License-Identifier: Apache-2.0
// A pool in virtual time: the controller, as it is, over workers that compute and block by numbers.
//
// Events are arrivals, ends of computing and of blocking, and looks of the monitor; between two of
// them nothing changes. Workers that compute share the CPUs evenly, as under the kernel's
// scheduler. Waking a worker and starting a thread take no time, but threads are started in looks
// only, where the pool also starts them in between. A job blocks first, then computes.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "pool/controller.h"

namespace weft::pool {

struct SimulatedJob {
  nanoseconds arrival{0};
  nanoseconds blocks{0};
  nanoseconds computes{0};
};

struct Simulation {
  Controller::Options options;
  std::uint32_t cpus = 1;
  std::vector<SimulatedJob> jobs;  // in the order of arrival
  nanoseconds until{0};            // at least; goes on until all jobs are done
  std::uint32_t fixed = 0;         // so many workers and no controller; 0: the controller
  // From then on another number of CPUs.
  nanoseconds cpus_change_at = nanoseconds::max();
  std::uint32_t cpus_afterwards = 0;
};

// The pool after a look.
struct Moment {
  nanoseconds now{0};
  std::uint32_t allowed = 0;
  std::uint32_t threads = 0;
  std::uint32_t active = 0;
  std::uint32_t queued = 0;
};

struct Simulated {
  std::vector<Moment> moments;
  std::vector<nanoseconds> waited;  // of each job
  std::vector<nanoseconds> total;   // of each job: from its arrival to its end
};

Simulated simulate(const Simulation& simulation);

// How often the number goes up after it went down, or the other way round.
std::uint32_t direction_changes(const std::vector<Moment>& moments,
                                std::uint32_t Moment::*number) noexcept;

}  // namespace weft::pool
