// SPDX-License-Identifier: Apache-2.0
// Runner: what every policy does with a job that a worker has taken: sheds it, or runs and books
// it.
#pragma once

#include <weft/pool.h>

#include "os/spin_lock.h"
#include "pool/codel.h"
#include "pool/metrics.h"

namespace weft::pool {

class Runner {
 public:
  using Instant = JobTimes::Instant;

  // The options must stay.
  explicit Runner(const PoolOptions& options) noexcept;

  // Returns when it ended. The job is gone by then.
  Instant run(Job& job, Instant now);

  Metrics& metrics() noexcept { return metrics_; }
  const Metrics& metrics() const noexcept { return metrics_; }
  const PoolOptions& options() const noexcept { return options_; }

 private:
  bool sheds(Instant now, std::chrono::nanoseconds waited, ShedReason& reason) noexcept;

  const PoolOptions& options_;
  Metrics metrics_;
  os::SpinLock codel_lock_;
  Codel codel_;  // guarded by codel_lock_
};

}  // namespace weft::pool
