// SPDX-License-Identifier: Apache-2.0
// weft::budget, second half: how hard are we pressed. Throttling by the CPU quota, and the kernel's
// pressure stall information (PSI) of the system and of our cgroup, by file and by trigger.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <weft/budget.h>

namespace weft::budget {

// What one cgroup with a CPU quota has been through since it was made.
struct Throttling {
  std::string where;                         // the cpu.stat that was read
  std::uint64_t periods = 0;                 // enforcement periods in which the group ran
  std::uint64_t throttled_periods = 0;       // of these, how many ran out of quota
  std::chrono::nanoseconds throttled{0};     // summed over CPUs
  std::uint64_t bursts = 0;                  // periods that used saved-up quota
  std::chrono::nanoseconds burst{0};         // how much of it
  std::chrono::microseconds burst_limit{0};  // how much may be saved up; 0: none
};

enum class Resource { cpu, memory, io, irq };
enum class Scope { system, cgroup };
const char* to_string(Resource resource) noexcept;
const char* to_string(Scope scope) noexcept;

// One line of a pressure file: the share of time in percent, and the sum.
struct Stall {
  double average_10s = 0;
  double average_60s = 0;
  double average_300s = 0;
  std::chrono::microseconds total{0};
};

// One pressure file. No `some` and no `full` means that PSI is not to be had here: `reason` says
// why (kernel without it, booted with psi=0, switched off for the cgroup, no cgroup2 mount).
struct StallReading {
  Resource resource = Resource::cpu;
  Scope scope = Scope::system;
  std::string where;
  std::optional<Stall> some;  // at least one task waited
  std::optional<Stall> full;  // all of them did
  std::string reason;         // empty where it could be read
  bool available() const noexcept { return some.has_value() || full.has_value(); }
};

struct Pressure {
  std::vector<Throttling> throttling;  // from our cgroup upwards, those that keep the counters
  std::vector<StallReading> stalls;
};

// Reads everything anew.
Pressure read_pressure(const Query& query = {});

// Asks the kernel to say when tasks stalled for `stall` within `window`.
struct TriggerSpec {
  Resource resource = Resource::cpu;
  Scope scope = Scope::system;
  bool full = false;  // all tasks, not just some
  std::chrono::microseconds stall{100'000};
  std::chrono::microseconds window{2'000'000};  // 500 ms to 10 s; unprivileged: a multiple of 2 s
};

// A PSI trigger: readable with poll(POLLPRI) on descriptor(), at most one event a window.
class Trigger {
 public:
  enum class Event { pressure, timeout, gone };

  // Arms the trigger. Where the kernel refuses, active() is false and problem() says what was
  // asked, where, and what to do.
  explicit Trigger(const TriggerSpec& spec, const Query& query = {});
  ~Trigger();
  Trigger(Trigger&& other) noexcept;
  Trigger& operator=(Trigger&& other) noexcept;
  Trigger(const Trigger&) = delete;
  Trigger& operator=(const Trigger&) = delete;

  bool active() const noexcept { return descriptor_ >= 0; }
  int descriptor() const noexcept { return descriptor_; }  // -1 where not active
  const std::string& problem() const noexcept { return problem_; }

  // Waits for the next event; `gone` when the cgroup was removed or the trigger is not active.
  Event wait(std::chrono::milliseconds timeout) const;

 private:
  int descriptor_ = -1;
  std::string problem_;
};

}  // namespace weft::budget
