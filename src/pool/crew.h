// SPDX-License-Identifier: Apache-2.0
// Crew: the threads of a pool under one policy; what weft::Pool asks of each of them.
//
// A pool is one Crew, made for its policy and told of changed CPU budgets. `fixed` and the two
// policies of the original are ClassicCrew, on the bounded queue; `adaptive` is AdaptiveCrew, on
// Dispatch. What a job is and how it is run and counted is the same for all: Runner.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include <weft/budget.h>
#include <weft/pool.h>

#include "pool/runner.h"

namespace weft::pool {

class Crew {
 public:
  // Precondition: minimum, maximum and cpus are set, and 1 <= minimum <= maximum.
  explicit Crew(PoolOptions options) : options_(std::move(options)), runner_(options_) {}
  virtual ~Crew() = default;  // precondition: drained
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  // Who waits gives up when the token is cancelled.
  virtual Submitted submit(Job& job, bool waits, const CancelToken& token) noexcept = 0;
  virtual void close() noexcept = 0;
  // Closes, and returns when all is done and all threads are gone. Any number of times.
  virtual void drain() noexcept = 0;
  virtual void set_cpus(std::uint32_t cpus) noexcept = 0;
  // The quota to keep within; none: there is none. Who cannot, does not.
  virtual void set_quota(const std::optional<budget::CpuQuota>&) {}
  virtual PoolCounters counters() const = 0;

  const Metrics& metrics() const noexcept { return runner_.metrics(); }

 protected:
  Metrics& books() noexcept { return runner_.metrics(); }
  const PoolOptions& options() const noexcept { return options_; }
  Runner& runner() noexcept { return runner_; }
  Submitted book(Submitted answer) noexcept {
    auto& counter = answer == Submitted::accepted ? books().accepted : books().refused;
    counter.fetch_add(1, std::memory_order_relaxed);
    return answer;
  }
  // What is the same for all policies.
  PoolCounters common_counters() const noexcept;
  // For each thread, first and last.
  void begin_thread() const;
  void end_thread() const;

 private:
  const PoolOptions options_;
  Runner runner_;
};

std::unique_ptr<Crew> make_crew(PoolOptions options);

}  // namespace weft::pool
