// SPDX-License-Identifier: Apache-2.0
// In, on, and out.
#include "admission/gate.h"

#include <algorithm>

namespace weft::admission {
namespace {

constexpr auto relaxed = std::memory_order_relaxed;
// Of who is told that the process ends: by then it should be sent to another.
constexpr std::chrono::milliseconds retry_elsewhere{1000};

void take_smaller(atomic<std::int64_t>& shortest, nanoseconds duration) noexcept {
  std::int64_t known = shortest.load(relaxed);
  const std::int64_t mine = std::max<std::int64_t>(duration.count(), 0);
  while (mine < known && !shortest.compare_exchange_weak(known, mine, relaxed, relaxed)) {
  }
}

nanoseconds take(atomic<std::int64_t>& shortest) noexcept {
  return nanoseconds{shortest.exchange(nanoseconds::max().count(), relaxed)};
}

}  // namespace

Gate::Answer Gate::admit(Priority priority) noexcept {
  Answer answer;
  Plan plan = plan_.load(relaxed);
  if (draining_.load(relaxed)) plan.draining = 1;
  Request request{.priority = priority};
  const auto who = static_cast<std::size_t>(priority);
  const bool has_share = (priority == Priority::low ? plan.low_share : plan.normal_share) != 0;
  if (has_share) request.turn = turns_[who].fetch_add(1, relaxed);
  const Refusal refusal = enter(plan, request, answer.calls);
  const std::uint64_t before = asked_[who][static_cast<std::size_t>(refusal)].fetch_add(1, relaxed);
  if (refusal != Refusal::none) answer.admission = {refusal, retry_after(refusal, before)};
  return answer;
}

std::chrono::milliseconds Gate::retry_after(Refusal refusal, std::uint64_t turn) const noexcept {
  const auto base = refusal == Refusal::draining
                        ? retry_elsewhere
                        : std::chrono::milliseconds(retry_base_milliseconds_.load(relaxed));
  return jittered(base, turn);
}

Admission Gate::look_at(Priority priority, nanoseconds waited) noexcept {
  if (priority == Priority::critical || waited.count() <= late_nanoseconds_.load(relaxed)) {
    return {};
  }
  const std::uint64_t turn = late_[static_cast<std::size_t>(priority)].fetch_add(1, relaxed);
  end(false, {});
  return {Refusal::queue_delay, retry_after(Refusal::queue_delay, turn)};
}

Refusal Gate::enter(const Plan& plan, Request request, bool& calls) noexcept {
  std::uint64_t word = occupancy_.load(relaxed);
  Refusal refusal = Refusal::none;
  do {
    request.waiting = static_cast<std::uint32_t>(word >> 32);
    request.in_flight = static_cast<std::uint32_t>(word);
    refusal = decide(plan, limits_, request);
    if (refusal != Refusal::none) break;
  } while (!occupancy_.compare_exchange_weak(word, word + one_waiting + one_in_flight, relaxed,
                                             relaxed));
  if (request.priority == Priority::critical) return refusal;
  const std::uint32_t cpus = cpus_.load(relaxed);
  if (refusal == Refusal::queue_delay && request.waiting >= limit_of(plan, request.priority)) {
    limited_[static_cast<std::size_t>(request.priority)].fetch_add(1, relaxed);
  }
  if (request.in_flight < cpus) idle_cpus_.fetch_add(cpus - request.in_flight, relaxed);
  calls = refusal == Refusal::none && request.waiting + 1 == calls_at;
  return refusal;
}

void Gate::start(Priority priority, nanoseconds waited) noexcept {
  occupancy_.fetch_sub(one_waiting, relaxed);
  if (priority == Priority::critical) return;
  begun_.fetch_add(1, relaxed);
  if (waited.count() <= idle_wait_nanoseconds_.load(relaxed)) unhindered_.fetch_add(1, relaxed);
  take_smaller(shortest_wait_, waited);
}

void Gate::end(bool has_begun, nanoseconds served) noexcept {
  occupancy_.fetch_sub(has_begun ? one_in_flight : one_waiting + one_in_flight, relaxed);
  if (!has_begun) return;
  ended_.fetch_add(1, relaxed);
  served_nanoseconds_.fetch_add(
      static_cast<std::uint64_t>(std::max<std::int64_t>(served.count(), 0)), relaxed);
}

void Gate::record_wait(nanoseconds waited) noexcept {
  take_smaller(shortest_elsewhere_, waited);
}

Gate::Occupancy Gate::occupancy() const noexcept {
  const std::uint64_t word = occupancy_.load(relaxed);
  return {static_cast<std::uint32_t>(word >> 32), static_cast<std::uint32_t>(word)};
}

std::uint64_t Gate::admitted(Priority priority) const noexcept {
  const auto who = static_cast<std::size_t>(priority);
  const std::uint64_t late = late_[who].load(relaxed);  // first: it was let in before
  return asked_[who][static_cast<std::size_t>(Refusal::none)].load(relaxed) - late;
}

std::uint64_t Gate::refused(Priority priority, Refusal refusal) const noexcept {
  const auto who = static_cast<std::size_t>(priority);
  const std::uint64_t late = refusal == Refusal::queue_delay ? late_[who].load(relaxed) : 0;
  return asked_[who][static_cast<std::size_t>(refusal)].load(relaxed) + late;
}

Gate::Totals Gate::totals() const noexcept {
  Totals totals;
  for (std::size_t who = 0; who < priority_count; ++who) {
    for (std::size_t why = 0; why < refusal_count; ++why) {
      totals.asked[who][why] = asked_[who][why].load(relaxed);
    }
    totals.limited[who] = limited_[who].load(relaxed);
    totals.late[who] = late_[who].load(relaxed);
  }
  totals.idle_cpus = idle_cpus_.load(relaxed);
  totals.begun = begun_.load(relaxed);
  totals.unhindered = unhindered_.load(relaxed);
  totals.ended = ended_.load(relaxed);
  totals.served_nanoseconds = served_nanoseconds_.load(relaxed);
  return totals;
}

QueueSample Gate::look() noexcept {
  const Totals now = totals();
  QueueSample sample;
  for (const Priority priority : {Priority::normal, Priority::low}) {
    const auto who = static_cast<std::size_t>(priority);
    const std::uint64_t limited = now.limited[who] - before_.limited[who];
    sample.limited += limited;
    if (priority == Priority::normal) sample.limited_normal += limited;
    sample.refused += now.late[who] - before_.late[who];
    for (std::size_t why = 0; why < refusal_count; ++why) {
      const std::uint64_t count = now.asked[who][why] - before_.asked[who][why];
      sample.offered += count;
      if (priority == Priority::normal) sample.offered_normal += count;
      const bool is_admitted = static_cast<Refusal>(why) == Refusal::none;
      (is_admitted ? sample.admitted : sample.refused) += count;
      if (is_admitted && priority == Priority::low) sample.admitted_low += count;
    }
  }
  sample.begun = now.begun - before_.begun;
  sample.ended = now.ended - before_.ended;
  sample.unhindered = now.unhindered - before_.unhindered;
  sample.cpus = std::max(cpus_.load(relaxed), 1U);
  sample.part_of_time = part_of_time_.load(relaxed);
  sample.quota_period = nanoseconds{quota_period_nanoseconds_.load(relaxed)};
  sample.idle = static_cast<double>(now.idle_cpus - before_.idle_cpus) / sample.cpus;
  sample.shortest_wait = take(shortest_wait_);
  sample.shortest_elsewhere = take(shortest_elsewhere_);
  const Occupancy occupancy = this->occupancy();
  sample.waiting = occupancy.waiting;
  sample.in_flight = occupancy.in_flight;
  if (sample.ended > 0) {
    const auto mean = static_cast<double>(now.served_nanoseconds - before_.served_nanoseconds) /
                      static_cast<double>(sample.ended);
    const double weight = mean_served_nanoseconds_ == 0 ? 1 : 0.1;
    mean_served_nanoseconds_ += weight * (mean - mean_served_nanoseconds_);
    // A fiftieth of a request, but no less than it takes to wake a thread.
    const auto idle_wait = static_cast<std::int64_t>(mean_served_nanoseconds_ / 50);
    idle_wait_nanoseconds_.store(std::clamp<std::int64_t>(idle_wait, 10'000, 200'000), relaxed);
  }
  before_ = now;
  return sample;
}

void Gate::set_plan(Plan plan, std::chrono::milliseconds retry_base, nanoseconds late) noexcept {
  plan_.store(plan, relaxed);
  retry_base_milliseconds_.store(retry_base.count(), relaxed);
  late_nanoseconds_.store(late.count(), relaxed);
}

}  // namespace weft::admission
