// SPDX-License-Identifier: Apache-2.0
// What the policies share, and which class makes which.
#include "pool/crew.h"

#include <pthread.h>

#include <utility>

#include "pool/adaptive_crew.h"
#include "pool/classic_crew.h"

namespace weft::pool {

PoolCounters Crew::common_counters() const noexcept {
  const Metrics& metrics = this->metrics();
  constexpr auto relaxed = std::memory_order_relaxed;
  PoolCounters counters;
  counters.busy = metrics.busy.load(relaxed);
  counters.accepted = metrics.accepted.load(relaxed);
  counters.refused = metrics.refused.load(relaxed);
  counters.done = metrics.done.load(relaxed);
  counters.thrown = metrics.thrown.load(relaxed);
  counters.shed = metrics.shed.load(relaxed);
  counters.grown = metrics.grown.load(relaxed);
  counters.retired = metrics.retired.load(relaxed);
  counters.held = metrics.held.load(relaxed);
  return counters;
}

void Crew::begin_thread() const {
  constexpr std::size_t longest_name = 15;  // the kernel's
  ::pthread_setname_np(::pthread_self(), options_.thread_name.substr(0, longest_name).c_str());
  if (options_.on_thread_start) options_.on_thread_start();
}

void Crew::end_thread() const {
  if (options_.on_thread_end) options_.on_thread_end();
}

std::unique_ptr<Crew> make_crew(PoolOptions options) {
  if (options.policy == Policy::adaptive) return std::make_unique<AdaptiveCrew>(std::move(options));
  return std::make_unique<ClassicCrew>(std::move(options));
}

}  // namespace weft::pool
