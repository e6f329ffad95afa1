// SPDX-License-Identifier: Apache-2.0
// Timers: which of many comes first. A heap, in which each knows its place.
//
// Of one thread. Most are set to about the same time from now, and so stay where they are put; most
// are cancelled, by which the last one takes their place.
#pragma once

#include <weft/grpc_queue.h>

#include <cstddef>
#include <vector>

namespace weft::grpc {

class Timers {
 public:
  using Instant = Timer::Instant;

  // Also of one that is set, which is moved.
  void set(Timer& timer, Instant at);
  // Nothing, where it is not set.
  void cancel(Timer& timer) noexcept;
  // max(): none is set.
  Instant next() const noexcept { return heap_.empty() ? Instant::max() : heap_.front()->at_; }
  // Calls all that are due. One that is set meanwhile, for now or earlier, is called the next time.
  void expire(Instant now);
  std::size_t count() const noexcept { return heap_.size(); }

 private:
  void put(std::size_t place, Timer* timer) noexcept;
  void rise(std::size_t place) noexcept;
  void sink(std::size_t place) noexcept;

  std::vector<Timer*> heap_;
  std::vector<Timer*> due_;  // taken out, and not called yet
};

}  // namespace weft::grpc
