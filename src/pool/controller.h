// SPDX-License-Identifier: Apache-2.0
// Controller: how many workers may be active, and how many threads there should be; from numbers
// alone, so that it runs in virtual time (simulator.h) as it does under the monitor.
//
// More workers help only while jobs block: who waits for a CPU is not helped by one more that waits
// for it. So the controller learns which share of its own time a job computes, leaving out what it
// waits for a CPU, and allows as many workers as keep the CPUs busy at that share:
//
//   share == ran / (ran + blocked)
//   allowed == cpus / share, from cpus to maximum; one more where jobs block a little
//
// The share is of the last looks, and kept while nothing happens: the next burst finds its workers
// allowed. While a job waits for long, what was seen since the last look counts alone if it is
// less, up to four times as many workers at once: when all have just blocked, the past is over.
// More are allowed at once, fewer only when that has been right for a while: jobs that began
// together also compute together, which is no reason to part with the workers for the next ones.
//
// While all compute it looks less often: there is nothing to be found, and each look takes the CPU
// away from a job.
//
// Threads are started for jobs that wait and may run, and `reserve` more for the next burst. They
// end one at a time: one in each interval in which it was not needed.
//
// Rejected: growing by depth or by latency (dials.h); and climbing towards the best throughput, as
// .NET does, which needs many samples where one look says that everybody sleeps.
#pragma once

#include <chrono>
#include <cstdint>

namespace weft::pool {

using std::chrono::nanoseconds;

// What is seen in one look.
struct Look {
  nanoseconds now{0};            // by any clock that does not go back
  nanoseconds oldest_waited{0};  // so long has the oldest job in the queue waited; none: 0
  std::uint32_t queued = 0;
  std::uint32_t active = 0;   // workers that are up, but for those
  std::uint32_t blocked = 0;  // that have said that they block
  std::uint32_t threads = 0;
  std::uint32_t cpus = 1;
  // Of the workers that were looked at, in their jobs, since the last look. The rest of the time
  // they waited for a CPU.
  nanoseconds ran{0};
  nanoseconds blocked_for{0};
};

struct Decision {
  std::uint32_t allowed = 1;
  std::uint32_t start = 0;   // so many threads
  bool retire = false;       // one of the threads
  nanoseconds next_look{0};  // from now; sooner when jobs wait and the monitor sleeps
  bool may_sleep = false;    // nothing has waited for a while
};

class Controller {
 public:
  struct Options {
    std::uint32_t minimum = 1;
    std::uint32_t maximum = 1;
    std::uint32_t reserve = 0;
    nanoseconds shrink_interval = std::chrono::seconds(1);
  };
  explicit Controller(const Options& options) noexcept : options_(options) {}

  Decision look(const Look& look) noexcept;
  // Between two looks: how many threads to start for jobs that may run. Needs no times.
  std::uint32_t missing_threads(const Look& look) const noexcept;

  // Before the first look. Of jobs that are not known yet no more are allowed than there are CPUs:
  // when one is left waiting the monitor begins to look, and finds those that block in two looks
  // or three.
  std::uint32_t first_allowed(std::uint32_t cpus) const noexcept;
  std::uint32_t first_threads() const noexcept;

 private:
  void learn(const Look& look) noexcept;
  std::uint32_t target(const Look& look) const noexcept;
  void allow(const Look& look) noexcept;
  bool only_computes(const Look& look) const noexcept;
  std::uint32_t wanted_threads(const Look& look) const noexcept;
  bool shrinks(const Look& look, std::uint32_t wanted) noexcept;

  const Options options_;
  double known_ = 0;           // nanoseconds that `share_` is of, up to the length of the memory
  double share_ = 1;           // of its own time, that a job computes
  nanoseconds last_{0};        // look
  std::uint32_t allowed_ = 0;  // 0: nothing was decided yet
  std::uint32_t cpus_ = 0;
  nanoseconds enough_since_{-1};   // fewer workers than allowed would have done; -1: not now
  std::uint32_t most_enough_ = 0;  // the most of these, since then
  std::uint32_t most_wanted_ = 0;  // since the last thread ended or began
  nanoseconds shrunk_{-1};         // when that was; -1: not yet
  nanoseconds waited_{0};          // when jobs were last seen waiting
  nanoseconds next_look_{0};
};

}  // namespace weft::pool
