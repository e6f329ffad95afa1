// SPDX-License-Identifier: Apache-2.0
// Gate: what requests pass. It holds the plan, counts, and never waits; times are given to it.
//
//   admit() -> waiting --start()--> begun --end()--> gone
//              waiting --look_at(), late-->          gone, refused
//              waiting --end()-->                    gone
//
// Invariants
//   - waiting <= in flight, and both are exact at any moment: they are one word.
//   - No request of normal or low priority makes `waiting` larger than the plan allows.
//
// Who looks (one thread) takes what has happened since its last look by subtracting totals; nothing
// is ever set back, but the shortest waits.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include <weft/admission.h>

#include "admission/plan.h"
#include "base/atomic.h"

namespace weft::admission {

class Gate {
 public:
  Gate(const Limits& limits, std::uint32_t cpus) noexcept : limits_(limits), cpus_(cpus) {}

  struct Answer {
    Admission admission;
    bool calls = false;  // so many wait that somebody should look
  };
  Answer admit(Priority priority) noexcept;
  void start(Priority priority, nanoseconds waited) noexcept;
  // Who is about to start and comes too late is refused, and over.
  Admission look_at(Priority priority, nanoseconds waited) noexcept;
  void end(bool has_begun, nanoseconds served) noexcept;
  void record_wait(nanoseconds waited) noexcept;

  struct Occupancy {
    std::uint32_t waiting = 0;
    std::uint32_t in_flight = 0;
  };
  Occupancy occupancy() const noexcept;
  std::uint64_t admitted(Priority priority) const noexcept;
  std::uint64_t refused(Priority priority, Refusal refusal) const noexcept;

  // For who looks.
  QueueSample look() noexcept;
  void set_plan(Plan plan, std::chrono::milliseconds retry_base, nanoseconds late) noexcept;
  Plan plan() const noexcept { return plan_.load(std::memory_order_relaxed); }

  // For any thread, at any time.
  // Of which there is only a part of the time, in each period of a quota, where there is one.
  void set_cpus(std::uint32_t cpus, double part_of_time = 1,
                nanoseconds quota_period = nanoseconds{0}) noexcept {
    cpus_.store(cpus, std::memory_order_relaxed);
    part_of_time_.store(part_of_time, std::memory_order_relaxed);
    quota_period_nanoseconds_.store(quota_period.count(), std::memory_order_relaxed);
  }
  std::uint32_t cpus() const noexcept { return cpus_.load(std::memory_order_relaxed); }
  void drain() noexcept { draining_.store(true, std::memory_order_relaxed); }
  bool is_draining() const noexcept { return draining_.load(std::memory_order_relaxed); }

  // A queue that begins to grow is looked at without waiting for the next look.
  static constexpr std::uint32_t calls_at = 16;

 private:
  static constexpr std::uint64_t one_in_flight = 1;
  static constexpr std::uint64_t one_waiting = std::uint64_t{1} << 32;
  struct Totals {
    std::array<std::array<std::uint64_t, refusal_count>, priority_count> asked{};
    std::array<std::uint64_t, priority_count> limited{};
    std::array<std::uint64_t, priority_count> late{};
    std::uint64_t idle_cpus = 0;
    std::uint64_t begun = 0;
    std::uint64_t unhindered = 0;
    std::uint64_t ended = 0;
    std::uint64_t served_nanoseconds = 0;
  };
  Totals totals() const noexcept;
  Refusal enter(const Plan& plan, Request request, bool& calls) noexcept;
  std::chrono::milliseconds retry_after(Refusal refusal, std::uint64_t turn) const noexcept;

  // Written by who looks, or never.
  alignas(64) const Limits limits_;
  atomic<Plan> plan_{Plan{}};
  atomic<std::int64_t> retry_base_milliseconds_{500};
  atomic<std::int64_t> idle_wait_nanoseconds_{20'000};  // who waited less found a CPU idle
  atomic<std::int64_t> late_nanoseconds_{nanoseconds::max().count()};
  atomic<double> part_of_time_{1};
  atomic<std::int64_t> quota_period_nanoseconds_{0};
  atomic<std::uint32_t> cpus_;
  atomic<bool> draining_{false};
  // Written by every request.
  alignas(64) atomic<std::uint64_t> occupancy_{0};
  alignas(64) std::array<std::array<atomic<std::uint64_t>, refusal_count>, priority_count> asked_{};
  std::array<atomic<std::uint64_t>, priority_count> turns_{};
  std::array<atomic<std::uint64_t>, priority_count> limited_{};  // too many waited
  std::array<atomic<std::uint64_t>, priority_count> late_{};     // let in, and refused after all
  atomic<std::uint64_t> idle_cpus_{0};
  alignas(64) atomic<std::uint64_t> begun_{0};
  atomic<std::uint64_t> unhindered_{0};
  atomic<std::uint64_t> ended_{0};
  atomic<std::uint64_t> served_nanoseconds_{0};
  atomic<std::int64_t> shortest_wait_{nanoseconds::max().count()};
  atomic<std::int64_t> shortest_elsewhere_{nanoseconds::max().count()};
  // Of who looks.
  Totals before_;
  double mean_served_nanoseconds_ = 0;
};

}  // namespace weft::admission
