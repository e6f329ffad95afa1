// SPDX-License-Identifier: Apache-2.0
// A server behind the gate, in virtual time: the gate and the controllers as they are, over
// requests that come by a rate and are served by so many workers, the oldest first.
//
// A request may block after it has begun: it then needs no worker. Refusing takes a worker no time
// unless asked for. Nobody comes again.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <vector>

#include <weft/admission.h>

#include "admission/pressure_control.h"
#include "admission/queue_control.h"

namespace weft::admission {

enum class Service { fixed, exponential, bimodal };  // bimodal: one in ten takes ten times as long

struct Simulation {
  std::uint32_t cpus = 1;
  Service service = Service::fixed;
  nanoseconds mean = std::chrono::milliseconds(1);  // of computing
  nanoseconds blocks{0};                            // after it, each
  // Requests a second at a time, in multiples of what the CPUs can serve; at most `most_load`.
  std::function<double(nanoseconds)> load;
  double most_load = 10;
  double low_part = 0;       // of the requests
  double critical_part = 0;  // of the requests
  nanoseconds until = std::chrono::seconds(10);
  std::uint64_t seed = 1;
  QueueOptions queue{};
  bool has_control = true;
  bool tells_only = false;  // the queue is not seen, waits are only told (record_wait)
  nanoseconds refusing{0};  // takes a worker so long
  std::function<PressureSample(nanoseconds)> pressure;  // none: none
};

struct SimulatedRequest {
  nanoseconds arrival{0};
  Priority priority = Priority::normal;
  Refusal refusal = Refusal::none;
  nanoseconds served{0};   // computing and blocking
  nanoseconds latency{0};  // from arrival to end; zero of who was refused
};

struct SimulatedLook {
  nanoseconds now{0};
  AdmissionState state = AdmissionState::open;
  std::uint32_t waiting = 0;
  QueuePlan queue;
  PressurePlan pressure;
};

struct Simulated {
  std::vector<SimulatedRequest> requests;  // in the order of arrival
  std::vector<SimulatedLook> looks;
};

Simulated simulate(const Simulation& simulation);

}  // namespace weft::admission
