// SPDX-License-Identifier: Apache-2.0
// From one event to the next.
#include "pool/simulator.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <deque>

namespace weft::pool {
namespace {

constexpr double never = 1e300;
constexpr double rounding = 1e-3;  // nanoseconds that are none

// A worker that has a job. Times are nanoseconds; in doubles, as they are shared by any number.
struct Worker {
  std::size_t job = 0;
  double blocks = 0;    // so long still
  double computes = 0;  // so much still
};

class Run {
 public:
  explicit Run(const Simulation& simulation)
      : simulation_(simulation),
        controller_(simulation.options),
        cpus_(simulation.cpus),
        allowed_(simulation.fixed != 0 ? simulation.fixed
                                       : controller_.first_allowed(simulation.cpus)),
        threads_(simulation.fixed != 0 ? simulation.fixed : controller_.first_threads()) {
    result_.waited.resize(simulation.jobs.size());
    result_.total.resize(simulation.jobs.size());
    if (simulation.fixed == 0) look();
  }

  Simulated finish() {
    while (next_job_ < simulation_.jobs.size() || !up_.empty() ||
           now_ < static_cast<double>(simulation_.until.count())) {
      advance_to(next_event());
      end_jobs();
      accept_jobs();
      start_jobs();
      if (simulation_.fixed != 0) continue;
      const bool is_called = sleeps_ && !queue_.empty();
      if (is_called || now_ >= next_look_) {
        look();
        start_jobs();
      }
    }
    return std::move(result_);
  }

 private:
  std::size_t computing() const {
    return static_cast<std::size_t>(std::count_if(
        up_.begin(), up_.end(), [](const Worker& worker) { return worker.blocks <= 0; }));
  }
  double speed() const {
    return std::min(1.0, cpus_ / static_cast<double>(std::max<std::size_t>(computing(), 1)));
  }

  double next_event() const {
    double next = static_cast<double>(simulation_.until.count());
    if (next <= now_) next = never;
    if (next_job_ < simulation_.jobs.size()) {
      next = std::min(next, static_cast<double>(simulation_.jobs[next_job_].arrival.count()));
    }
    if (simulation_.fixed == 0) next = std::min(next, next_look_);
    const double speed = this->speed();
    for (const Worker& worker : up_) {
      next = std::min(next, now_ + (worker.blocks > 0 ? worker.blocks : worker.computes / speed));
    }
    return std::max(next, now_);
  }

  void advance_to(double time) {
    const double passed = time - now_;
    const double speed = this->speed();
    for (Worker& worker : up_) {
      if (worker.blocks > 0) {
        blocked_ += passed;
        worker.blocks -= passed;
        if (worker.blocks < rounding) worker.blocks = 0;
      } else {
        ran_ += passed * speed;
        worker.computes -= passed * speed;
      }
    }
    now_ = time;
    if (now_ >= static_cast<double>(simulation_.cpus_change_at.count())) {
      cpus_ = simulation_.cpus_afterwards;
    }
  }

  void end_jobs() {
    std::erase_if(up_, [&](const Worker& worker) {
      if (worker.blocks > 0 || worker.computes > rounding) return false;
      result_.total[worker.job] = time() - simulation_.jobs[worker.job].arrival;
      return true;
    });
  }

  void accept_jobs() {
    for (; next_job_ < simulation_.jobs.size(); ++next_job_) {
      if (static_cast<double>(simulation_.jobs[next_job_].arrival.count()) > now_) return;
      queue_.push_back(next_job_);
    }
  }

  void start_jobs() {
    while (!queue_.empty() && up_.size() < std::min(allowed_, threads_)) {
      const std::size_t job = queue_.front();
      queue_.pop_front();
      result_.waited[job] = time() - simulation_.jobs[job].arrival;
      up_.push_back({.job = job,
                     .blocks = static_cast<double>(simulation_.jobs[job].blocks.count()),
                     .computes = static_cast<double>(simulation_.jobs[job].computes.count())});
    }
  }

  void look() {
    Look look{.now = time(),
              .queued = static_cast<std::uint32_t>(queue_.size()),
              .active = static_cast<std::uint32_t>(up_.size()),
              .threads = threads_,
              .cpus = cpus_,
              .ran = nanoseconds{std::llround(ran_)},
              .blocked_for = nanoseconds{std::llround(blocked_)}};
    if (!queue_.empty()) look.oldest_waited = time() - simulation_.jobs[queue_.front()].arrival;
    ran_ = blocked_ = 0;
    const Decision decision = controller_.look(look);
    allowed_ = decision.allowed;
    threads_ += decision.start;
    if (decision.retire && threads_ > up_.size()) --threads_;
    sleeps_ = decision.may_sleep;
    next_look_ = now_ + static_cast<double>(decision.next_look.count());
    result_.moments.push_back({.now = look.now,
                               .allowed = allowed_,
                               .threads = threads_,
                               .active = look.active,
                               .queued = look.queued});
  }

  nanoseconds time() const { return nanoseconds{std::llround(now_)}; }

  const Simulation& simulation_;
  Controller controller_;
  std::uint32_t cpus_;
  std::uint32_t allowed_;
  std::uint32_t threads_;
  double now_ = 0;
  double next_look_ = 0;
  bool sleeps_ = false;
  double ran_ = 0;
  double blocked_ = 0;
  std::size_t next_job_ = 0;  // that has not arrived yet
  std::deque<std::size_t> queue_;
  std::vector<Worker> up_;
  Simulated result_;
};

}  // namespace

Simulated simulate(const Simulation& simulation) {
  return Run(simulation).finish();
}

std::uint32_t direction_changes(const std::vector<Moment>& moments,
                                std::uint32_t Moment::*number) noexcept {
  std::uint32_t changes = 0;
  int direction = 0;
  for (std::size_t i = 1; i < moments.size(); ++i) {
    const std::uint32_t before = moments[i - 1].*number;
    const std::uint32_t now = moments[i].*number;
    if (now == before) continue;
    const int new_direction = now > before ? 1 : -1;
    if (direction != 0 && new_direction != direction) ++changes;
    direction = new_direction;
  }
  return changes;
}

}  // namespace weft::pool
