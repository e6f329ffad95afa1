// SPDX-License-Identifier: Apache-2.0
// Ration: may jobs begin now, or would the CPU quota be used up before its period is over? From
// numbers alone, so that it runs in virtual time.
//
// A quota that is used up stops every thread of the cgroup at once, wherever it is: with a lock
// held, in the midst of an answer, also the one that would have told a client to go elsewhere. The
// CPU time is the same for who stops by itself, between two jobs; only nobody is caught in the
// middle. So jobs begin while what was used in this period lies below
//
//     time
//   quota -                                . '  spare
//         |                        . '
//         |                . '                  the longer into the period, the more
//   burst +        . '
//         |                                     at once: a burst should not wait
//         +----------------------------------
//         0                               period
//
// and are held back above it; no more of them at once than there is room for. What has begun is not
// stopped; what it is still going to use in this period counts as used. `spare` is for threads that
// ask nobody, and for what the kernel has dealt out to a CPU and not taken back; it grows when the
// quota was used up nevertheless.
//
// Rejected: an even rate alone. Whoever wakes up to ten requests should answer them at once.
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>

namespace weft::pool {

using std::chrono::nanoseconds;

struct RationLook {
  nanoseconds now{0};
  std::optional<nanoseconds> began;  // the period; none: not known yet
  nanoseconds used{0};               // CPU time of the process since whenever
  std::uint32_t running = 0;         // jobs that have begun
  std::uint64_t done = 0;            // since whenever
  std::uint64_t throttled = 0;       // periods in which the quota was used up, since whenever
  std::uint32_t cpus = 1;            // that jobs can use at once
};

struct RationAnswer {
  static constexpr std::uint32_t any_number = std::numeric_limits<std::uint32_t>::max();
  bool may_begin = true;
  std::uint32_t jobs = any_number;  // so many more at once, if they may
  nanoseconds next_look{0};         // from now
  bool may_sleep = true;            // nobody needs to look for a while, unless jobs wait
};

class Ration {
 public:
  // Both more than zero.
  Ration(nanoseconds quota, nanoseconds period) noexcept;

  RationAnswer look(const RationLook& look) noexcept;

 private:
  void learn(const RationLook& look) noexcept;
  void begin_period(nanoseconds began, const RationLook& look) noexcept;
  double to_come(const RationLook& look) const noexcept;
  double enough_to_go_on(double left) const noexcept;
  std::uint32_t jobs_in(double room) const noexcept;

  // In nanoseconds, all of them.
  const double quota_;
  const double period_;
  double spare_;
  double used_before_ = 0;  // this period
  double cost_ = 0;         // of a job, in the mean; 0: not known yet
  nanoseconds began_{0};
  std::optional<RationLook> last_;
  std::uint64_t throttled_before_ = 0;  // this period
  nanoseconds cost_since_used_{0};
  std::uint64_t cost_since_done_ = 0;
  bool holds_ = false;
};

}  // namespace weft::pool
