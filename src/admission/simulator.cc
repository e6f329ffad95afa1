// SPDX-License-Identifier: Apache-2.0
// From one event to the next.
#include "admission/simulator.h"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <queue>
#include <random>
#include <utility>

#include "admission/gate.h"
#include "admission/rhythm.h"

namespace weft::admission {
namespace {

enum class Kind { end_of_computing, end_of_request, end_of_refusing, look };

struct Event {
  nanoseconds at;
  Kind kind;
  std::size_t request;
  bool operator>(const Event& other) const noexcept { return at > other.at; }
};

class Run {
 public:
  explicit Run(const Simulation& simulation)
      : gate_({}, simulation.cpus),
        simulation_(simulation),
        random_(simulation.seed),
        queue_control_(simulation.queue) {}

  Simulated finish() {
    nanoseconds arrival = next_arrival(nanoseconds{0});
    if (simulation_.has_control) events_.push({nanoseconds{0}, Kind::look, 0});
    while (arrival < simulation_.until || busy_ > 0 || blocked_ > 0) {
      if (arrival < simulation_.until && (events_.empty() || arrival <= events_.top().at)) {
        now_ = arrival;
        arrive();
        arrival = next_arrival(arrival);
        continue;
      }
      const Event event = events_.top();
      events_.pop();
      now_ = event.at;
      happen(event);
    }
    return std::move(result_);
  }

 private:
  // Poisson, thinned to the load of the moment.
  nanoseconds next_arrival(nanoseconds after) {
    const double most = simulation_.most_load * simulation_.cpus /
                        std::chrono::duration<double>(simulation_.mean).count();
    std::exponential_distribution<double> gap(most);
    std::uniform_real_distribution<double> chance(0, simulation_.most_load);
    do {
      after += nanoseconds{static_cast<std::int64_t>(gap(random_) * 1e9)};
    } while (after < simulation_.until && chance(random_) > simulation_.load(after));
    return after;
  }

  nanoseconds computing() {
    const auto mean = static_cast<double>(simulation_.mean.count());
    double time = mean;
    if (simulation_.service == Service::exponential) {
      time = std::exponential_distribution<double>(1 / mean)(random_);
    } else if (simulation_.service == Service::bimodal) {
      time = mean / 1.9 * (std::bernoulli_distribution(0.1)(random_) ? 10 : 1);
    }
    return nanoseconds{static_cast<std::int64_t>(time)};
  }

  Priority priority() {
    const double chance = std::uniform_real_distribution<double>(0, 1)(random_);
    if (chance < simulation_.low_part) return Priority::low;
    return chance > 1 - simulation_.critical_part ? Priority::critical : Priority::normal;
  }

  void arrive() {
    SimulatedRequest request{.arrival = now_, .priority = priority()};
    request.served = computing();
    const Gate::Answer answer = gate_.admit(request.priority);
    request.refusal = answer.admission.refusal;
    result_.requests.push_back(request);
    const std::size_t index = result_.requests.size() - 1;
    if (request.refusal == Refusal::none) {
      if (simulation_.tells_only) gate_.start(request.priority, nanoseconds{0});
      queue_.push_back(index);
    } else if (simulation_.refusing > nanoseconds{0}) {
      refusals_.push_back(index);
    }
    if (answer.calls && simulation_.has_control) look();
    begin();
  }

  void begin() {
    while (busy_ < simulation_.cpus && !refusals_.empty()) {
      ++busy_;
      events_.push({now_ + simulation_.refusing, Kind::end_of_refusing, refusals_.front()});
      refusals_.pop_front();
    }
    while (busy_ < simulation_.cpus && !queue_.empty()) {
      const std::size_t index = queue_.front();
      queue_.pop_front();
      SimulatedRequest& request = result_.requests[index];
      const nanoseconds waited = now_ - request.arrival;
      if (simulation_.tells_only) {
        gate_.record_wait(waited);
      } else {
        request.refusal = gate_.look_at(request.priority, waited).refusal;
        if (request.refusal != Refusal::none) continue;
        gate_.start(request.priority, waited);
      }
      ++busy_;
      events_.push({now_ + request.served, Kind::end_of_computing, index});
    }
  }

  void happen(const Event& event) {
    switch (event.kind) {
      case Kind::end_of_computing:
        --busy_;
        ++blocked_;
        events_.push({now_ + simulation_.blocks, Kind::end_of_request, event.request});
        begin();
        return;
      case Kind::end_of_request: {
        --blocked_;
        SimulatedRequest& request = result_.requests[event.request];
        request.served += simulation_.blocks;
        request.latency = now_ - request.arrival;
        gate_.end(true, request.served);
        return;
      }
      case Kind::end_of_refusing:
        --busy_;
        begin();
        return;
      case Kind::look:
        if (now_ >= next_look_) {
          look();
        }
        return;
    }
  }

  void look() {
    const QueueSample sample = gate_.look();
    const QueuePlan queue = queue_control_.look(now_, sample);
    if (simulation_.pressure && now_ >= next_pressure_) {
      pressure_ = pressure_control_.look(now_, simulation_.pressure(now_), queue.sheds);
      next_pressure_ = now_ + pressure_period;
    }
    const Plan plan = plan_for(queue, pressure_);
    gate_.set_plan(plan, retry_base(plan, sample.offered, sample.admitted), queue.late);
    result_.looks.push_back({now_, plan.state(), sample.waiting, queue, pressure_});
    next_look_ = now_ + until_next_look(plan, sample);
    events_.push({next_look_, Kind::look, 0});
  }

  Gate gate_;
  const Simulation& simulation_;
  std::mt19937_64 random_;
  QueueControl queue_control_;
  PressureControl pressure_control_;
  PressurePlan pressure_;
  nanoseconds now_{0};
  nanoseconds next_look_{0};
  nanoseconds next_pressure_{0};
  std::uint32_t busy_ = 0;  // workers
  std::uint32_t blocked_ = 0;
  std::deque<std::size_t> queue_;
  std::deque<std::size_t> refusals_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  Simulated result_;
};

}  // namespace

Simulated simulate(const Simulation& simulation) {
  return Run(simulation).finish();
}

}  // namespace weft::admission
