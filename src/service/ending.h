// SPDX-License-Identifier: Apache-2.0
// Ending: how a service ends without losing what it has accepted, as steps in an order that does
// not depend on the order in which its parts were made.
//
//   unready    who asks whether we are ready is told no; everything goes on
//   leaving    so long, until load balancers have heard of it and send nothing new
//   servers    accept nothing more, answer what was accepted
//   pools      what the servers had begun elsewhere
//   databases  give back what was borrowed
//   flushing   logs, metrics, traces: they have seen all of the above
//
// Each step is given the time at which all must be over. One that throws or is late is noted, and
// the next one goes on all the same: a database that is away must not keep the log from being
// written.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace weft::service {

enum class Stage : std::uint8_t { unready, leaving, servers, pools, databases, flushing };
const char* to_string(Stage stage) noexcept;

class Ending {
 public:
  using Clock = std::chrono::steady_clock;
  // False: not all was done by then.
  using Step = std::function<bool(Clock::time_point deadline)>;

  struct Outcome {
    std::string name;
    Stage stage{};
    std::chrono::nanoseconds took{0};
    std::string problem;  // empty: done, and in time
  };

  // Steps of one stage run in the reverse of the order in which they were added: what was made
  // later may need what was made earlier.
  void add(Stage stage, std::string name, Step step);

  // Runs all, once.
  std::vector<Outcome> run(std::chrono::nanoseconds grace,
                           const std::function<Clock::time_point()>& now = Clock::now);

 private:
  struct Entry {
    Stage stage;
    std::string name;
    Step step;
  };
  std::vector<Entry> steps_;
};

}  // namespace weft::service
