// SPDX-License-Identifier: Apache-2.0
// Once a second.
#include "serve/sampler.h"

#include <pthread.h>

#include <utility>

#include "pool/metrics.h"

namespace weft::serve {

using std::chrono::steady_clock;

Look look_at(const RunningServer& server, Machine& machine) {
  Look look;
  look.at = steady_clock::now();
  look.totals = server.totals();
  if (const Pool* const pool = server.workers(); pool != nullptr) {
    look.pool = {pool->counters(), pool->metrics().waited.snapshot()};
  }
  look.machine = machine.read();
  return look;
}

Sampler::Sampler(const RunningServer& server, Machine& machine, std::chrono::milliseconds period)
    : server_(server), machine_(machine), period_(period) {
  history_.add(look_at(server_, machine_));
  thread_ = std::thread([this] {
    ::pthread_setname_np(::pthread_self(), "weft-sampler");
    run();
  });
}

Sampler::~Sampler() {
  {
    const std::scoped_lock guard(lock_);
    ending_ = true;
  }
  ends_.notify_all();
  thread_.join();
}

void Sampler::run() {
  auto next = steady_clock::now() + period_;
  for (;;) {
    {
      std::unique_lock guard(lock_);
      if (ends_.wait_until(guard, next, [this] { return ending_; })) return;
    }
    Look look = look_at(server_, machine_);
    {
      const std::scoped_lock guard(lock_);
      history_.add(std::move(look));
    }
    // What was missed, while the machine was busy, is one longer interval.
    next += period_;
    if (const auto now = steady_clock::now(); next <= now) next = now + period_;
  }
}

}  // namespace weft::serve
