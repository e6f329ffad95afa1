// SPDX-License-Identifier: Apache-2.0
// weft::AdmissionControl: lets requests in or not (<weft/admission.h> says by what), counts them,
// and looks at the queue and the machine on a thread of its own.
//
//   weft::AdmissionControl control;
//   auto [answer, ticket] = control.admit(weft::Priority::normal);
//
// admit(), and all that a ticket does, never wait: a few atomic operations and a look at the clock.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include <weft/admission.h>

namespace weft {

namespace admission {
class Gate;
}  // namespace admission

struct AdmissionOptions {
  std::uint32_t cpus = 0;            // 0: the CPU budget, followed
  std::uint32_t most_in_flight = 0;  // of all requests, critical ones not refused; 0: any number
  // Nothing is shed for a queue in which some wait less.
  std::chrono::nanoseconds target = std::chrono::milliseconds(5);
  // A queue in which all wait longer is shed from, however slowly it grew.
  std::chrono::nanoseconds longest_wait = std::chrono::seconds(1);
  bool watches_pressure = true;  // false: the queue alone decides
};

struct AdmissionCounters {
  AdmissionState state = AdmissionState::open;
  bool draining = false;
  std::uint32_t cpus = 0;
  std::uint32_t waiting = 0;
  std::uint32_t in_flight = 0;
  std::uint32_t may_wait = 0;  // 0: any number
  double low_share = 0;        // that is refused, before it is asked how many wait
  double normal_share = 0;
  std::uint64_t state_changes = 0;
  std::array<std::uint64_t, priority_count> admitted{};
  // [priority][refusal]; [...][Refusal::none] is zero.
  std::array<std::array<std::uint64_t, refusal_count>, priority_count> refused{};
};

// A request that was let in. Ends when it goes; its AdmissionControl must still be there.
class Ticket {
 public:
  using Clock = std::chrono::steady_clock;

  Ticket() = default;  // of none
  Ticket(Ticket&& other) noexcept { swap(other); }
  Ticket& operator=(Ticket&& other) noexcept {
    Ticket(std::move(other)).swap(*this);
    return *this;
  }
  ~Ticket();

  explicit operator bool() const noexcept { return gate_ != nullptr; }

  // Says that the request has been taken from its queue and begins now. Without it a request only
  // counts as waiting, and nothing is learnt of the queue. More than once is once.
  void start() noexcept;
  // The same, where it can still be refused: while the server sheds, who has waited for too long
  // is, and the ticket is of none afterwards.
  [[nodiscard]] Admission begin() noexcept;
  // Only whether it has: who has not waits on, in another queue.
  [[nodiscard]] Admission look() noexcept;

  // Only AdmissionControl has a gate to give.
  Ticket(admission::Gate& gate, Priority priority) noexcept
      : gate_(&gate), priority_(priority), since_(Clock::now()) {}

 private:
  void swap(Ticket& other) noexcept {
    std::swap(gate_, other.gate_);
    std::swap(priority_, other.priority_);
    std::swap(has_begun_, other.has_begun_);
    std::swap(since_, other.since_);
  }

  admission::Gate* gate_ = nullptr;
  Priority priority_ = Priority::normal;
  bool has_begun_ = false;
  Clock::time_point since_;  // admitted, or begun
};

class AdmissionControl {
 public:
  // Throws std::system_error where no thread can be made.
  explicit AdmissionControl(const AdmissionOptions& options = {});
  ~AdmissionControl();
  AdmissionControl(const AdmissionControl&) = delete;
  AdmissionControl& operator=(const AdmissionControl&) = delete;

  struct Answer {
    Admission admission;
    Ticket ticket;  // of none, if refused
  };
  [[nodiscard]] Answer admit(Priority priority) noexcept;

  // A wait in a queue that tickets do not tell of: of a pool further down, or of an event loop
  // before requests are seen at all. While all of these wait, a share of all is refused.
  void record_wait(std::chrono::nanoseconds waited) noexcept;

  // From now on only critical requests are let in.
  void drain() noexcept;

  // From now on so many CPUs; the budget is followed no more.
  void set_cpus(std::uint32_t cpus);

  AdmissionCounters counters() const;

 private:
  class Sampler;
  std::unique_ptr<Sampler> sampler_;
};

}  // namespace weft
