// SPDX-License-Identifier: Apache-2.0
// ClosedLoop: one thread with so many connections, each of which asks again when it is answered.
//
// For ceilings. Its latencies leave out whoever would have come while the server stalled; they are
// printed for comparison with tools that know no other way.
#pragma once

#include <cstdint>
#include <vector>

#include "load/load.h"
#include "load/shared_progress.h"
#include "load/wire.h"
#include "measure/histogram.h"

namespace weft::load {

// What a closed loop remembers without samples, which would be many.
struct Tally {
  measure::Snapshot served;
  measure::Snapshot rejected;
  measure::Snapshot connect;
  Counts counts{};
  std::vector<std::uint64_t> statuses = std::vector<std::uint64_t>(600);

  void add(const Tally& other);
};

class ClosedLoop final : public WireUser {
 public:
  ClosedLoop(const Plan& plan, const Targets& targets, unsigned connections, std::uint64_t requests,
             std::uint64_t seed, Wire wire, SharedProgress& progress);

  // Until the duration is over or the requests are done, whichever is first.
  void run(SteadyClock::time_point origin);

  const Tally& tally() const noexcept { return tally_; }
  std::vector<Sample>& samples() noexcept { return samples_; }
  unsigned connections() const noexcept { return wire_.opened(); }
  nanoseconds last_end() const noexcept { return last_end_; }

  void ended(Connection& connection, const Exchange& exchange) override;
  void lost(Connection& connection) override;
  void connected(Connection&) override {}

 private:
  void ask(Connection& connection);
  void ask_again();
  void open_new();
  bool may_ask() const;
  void time_out(nanoseconds now);
  std::size_t choose();

  const Plan& plan_;
  const Targets& targets_;
  const std::uint64_t most_requests_;  // 0: no limit
  Wire wire_;
  SharedProgress& progress_;
  std::vector<std::uint16_t> choices_;  // in turn, again and again
  std::size_t next_choice_ = 0;
  std::vector<Connection*> asking_;  // each that has been opened; may have been closed
  std::vector<Connection*> answered_connections_;  // by one poll(), to be asked again
  unsigned missing_ = 0;                           // connections to open anew
  std::uint64_t asked_ = 0;
  std::uint64_t answered_ = 0;
  nanoseconds last_end_{0};
  Tally tally_;
  std::vector<Sample> samples_;
};

}  // namespace weft::load
