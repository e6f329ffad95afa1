// SPDX-License-Identifier: Apache-2.0
// OpenLoop: one thread that starts its requests when the schedule says so, and not when it suits.
//
// Thread i of n has every n-th request. A request takes the connection that was idle last, or a new
// one; where as many are open as may be, it waits in line, and that is latency. Its time-out counts
// from the intended start, so time-outs come in the order of the schedule.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <vector>

#include "load/load.h"
#include "load/shared_progress.h"
#include "load/wire.h"

namespace weft::load {

struct OpenLoopPart {
  std::size_t first = 0;  // its requests: first, first + stride, …
  std::size_t stride = 1;
  unsigned most_connections = 1;
  unsigned ready_connections = 0;
};

class OpenLoop final : public WireUser {
 public:
  // Writes the samples of its part; the others are those of other threads.
  OpenLoop(const Plan& plan, const Targets& targets, const OpenLoopPart& part, Wire wire,
           std::vector<Sample>& samples, SharedProgress& progress);

  // Opens the connections that are to be there; returns when they are, or after a second.
  void get_ready();
  // Runs from `origin` until every request has ended, or was stopped.
  void run(SteadyClock::time_point origin);

  nanoseconds spinning() const noexcept { return spinning_; }
  unsigned connections() const noexcept { return wire_.opened(); }
  std::uint64_t waited_for_connection() const noexcept { return waited_for_connection_; }

  void ended(Connection& connection, const Exchange& exchange) override;
  void lost(Connection& connection) override;
  void connected(Connection& connection) override;

 private:
  void begin_due(nanoseconds now);
  void begin(std::size_t index, nanoseconds now);
  void put_on(Connection& connection, std::size_t index);
  void serve_line(std::size_t endpoint);
  void time_out(nanoseconds now);
  void finish(std::size_t index, Outcome outcome);
  void wait_until(nanoseconds next);
  void spin_until(nanoseconds next);
  nanoseconds next_event(nanoseconds now) const;
  const PreparedRequest& request_of(std::size_t index) const {
    return targets_.requests[samples_[index].request];
  }

  const Plan& plan_;
  const Targets& targets_;
  const OpenLoopPart part_;
  Wire wire_;
  std::vector<Sample>& samples_;
  SharedProgress& progress_;

  std::size_t next_;    // to begin
  std::size_t oldest_;  // that may still be under way
  std::size_t under_way_ = 0;
  unsigned open_ = 0;                           // connections
  std::vector<std::vector<Connection*>> idle_;  // by endpoint, used last at the back
  std::vector<std::deque<std::size_t>> line_;   // by endpoint: waits for a connection
  std::vector<Connection*> carrier_;            // of each request of this part
  std::vector<bool> is_under_way_;              // begun, not ended
  std::uint64_t waited_for_connection_ = 0;
  nanoseconds spinning_{0};
};

}  // namespace weft::load
