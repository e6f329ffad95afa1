// SPDX-License-Identifier: Apache-2.0
// When to shed, and how many may wait meanwhile.
#include "admission/queue_control.h"

#include <algorithm>
#include <cmath>

namespace weft::admission {
namespace {

using namespace std::chrono_literals;

constexpr double healthy_ratio = 1.3;      // offered to begun; above it excess grows
constexpr double excess_seconds = 0.02;    // of work: what a machine may stall without a cause
constexpr double rate_memory = 10;         // seconds
constexpr nanoseconds rate_window = 10ms;  // at the least, and with so many begun, or at the most:
constexpr std::uint64_t begun_for_rate = 32;
constexpr nanoseconds longest_rate_window = 100ms;
constexpr double window_most = 2000;   // offered; then it is halved, to follow what changes
constexpr double least_for_more = 16;  // offered, before it says that more may wait
constexpr double least_for_fewer = 200;
constexpr std::uint32_t first_may_wait = 2;
constexpr std::uint32_t mistakes_of_bursts = 2;  // one may be a stall of the machine
constexpr std::uint64_t begun_for_mean = 32;
constexpr double requests_to_see = 50;  // whether there are times without any

double seconds(nanoseconds duration) noexcept {
  return std::chrono::duration<double>(duration).count();
}

nanoseconds duration(double seconds) noexcept {
  return nanoseconds(static_cast<std::int64_t>(std::min(seconds, 1e6) * 1e9));
}

double number(std::uint64_t value) noexcept {
  return static_cast<double>(value);
}

}  // namespace

void QueueControl::Window::add(const QueueSample& sample) noexcept {
  if (offered > window_most) {
    for (double* value : {&offered, &tried, &admitted, &idle, &unhindered}) *value /= 2;
  }
  offered += number(sample.offered);
  tried += number(sample.admitted + sample.limited);
  admitted += number(sample.admitted);
  idle += sample.idle;
  unhindered += number(sample.unhindered);
}

// Fewer requests under way than CPUs is idleness for sure. Requests that block are more than that;
// of them each that began at once found one CPU idle, at least.
double QueueControl::Window::idle_share(std::uint32_t cpus) const noexcept {
  if (offered <= 0) return 0;
  return std::max(idle, unhindered / cpus) / offered;
}

double QueueControl::fewest() const noexcept {
  return std::max<double>(options_.least_excess, options_.excess * part_of_time_);
}

double QueueControl::threshold() const noexcept {
  return std::max(fewest(), rate_ * excess_seconds);
}

double QueueControl::longest() const noexcept {
  return std::max<double>(options_.length, rate_ * seconds(options_.most_burst));
}

// Within a quota who waits for work waits for holds as well, and for those who have begun.
double QueueControl::burst() const noexcept {
  const bool may_be_more = mistakes_ > 0 && !has_quota_;
  return std::max(fewest(), rate_ * seconds(may_be_more ? options_.most_burst : options_.burst));
}

void QueueControl::Excess::add(nanoseconds now, double offered, double gone,
                               double threshold) noexcept {
  // One burst is not overload: it counts for half of what is needed at the most.
  const double grown = std::min(offered - healthy_ratio * gone, threshold / 2);
  sum = std::clamp(sum + grown, 0.0, 1.25 * threshold);
  if (sum < threshold) {
    since = nanoseconds::max();
  } else {
    since = std::min(since, now);
  }
}

QueuePlan QueueControl::look(nanoseconds now, const QueueSample& sample) noexcept {
  follow(now, sample);
  feed_elsewhere(now, sample);
  if (!sheds_) {
    if (is_overloaded(now, sample)) begin(now, sample.cpus);
  } else {
    regulate(sample);
    reserve(now, sample);
    if (has_ended(now, sample)) {
      sheds_ = false;
      excess_ = {};
    }
  }
  if (now - mistaken_ > options_.remembers) mistakes_ = 0;
  QueuePlan plan{.sheds = sheds_ || elsewhere_.sheds, .share = elsewhere_share()};
  if (sheds_) {
    plan.low_may_wait = may_wait_;
    plan.may_wait = may_wait_ + reserved_;
    // Where one takes long, so do those that may wait for it.
    plan.late = std::max(2 * options_.target, duration(2 * (plan.may_wait + 1) / mean_rate_));
  } else if (standing_ > options_.target) {
    const double most = excess_.is_much() ? burst() : longest();
    plan.low_may_wait = plan.may_wait = static_cast<std::uint32_t>(most);
  }
  return plan;
}

void QueueControl::follow(nanoseconds now, const QueueSample& sample) noexcept {
  if (sample.shortest_wait != nanoseconds::max()) {
    standing_ = sample.shortest_wait;
  } else if (sample.waiting == 0) {
    standing_ = 0ns;
  }
  part_of_time_ = sample.part_of_time;
  has_quota_ = sample.quota_period > 0ns;
  rate_begun_ += sample.begun;
  // A pool that keeps within a quota lets many begin at once, and then none for a while: the most
  // of a moment is not what it can do.
  const nanoseconds since_rate = now - rate_since_;
  const bool is_enough = rate_begun_ >= begun_for_rate || since_rate >= longest_rate_window;
  if (is_enough && since_rate >= std::max(rate_window, sample.quota_period)) {
    const double passed = seconds(since_rate);
    rate_ =
        std::max(number(rate_begun_) / passed, rate_ * (1 - std::min(0.5, passed / rate_memory)));
    rate_since_ = now;
    rate_begun_ = 0;
  }
  mean_begun_ += sample.begun;
  const double passed = seconds(now - mean_since_);
  if (passed >= 1 || (passed > 0 && mean_begun_ >= begun_for_mean)) {
    mean_rate_ = std::max(number(mean_begun_) / passed, 0.1);
    mean_since_ = now;
    mean_begun_ = 0;
  }
  excess_.add(now, number(sample.offered), number(sample.begun), threshold());
  elsewhere_excess_.add(now, number(sample.offered), number(sample.ended), threshold());
}

bool QueueControl::is_overloaded(nanoseconds now, const QueueSample& sample) const noexcept {
  const bool stands = standing_ > options_.target;
  if (stands && standing_ >= options_.longest_wait) return true;
  if (excess_.is_much() && mistakes_ >= mistakes_of_bursts) {
    return excess_.since <= now - options_.bursts_patience;
  }
  if (stands && sample.waiting >= longest()) return true;
  // Who comes now will wait; but it is no queue of ours, where nobody ever begins.
  const bool will_stand = rate_ > 0 && number(sample.waiting) / rate_ > seconds(options_.target);
  if (!(stands || will_stand) || !excess_.is_much()) return false;
  const nanoseconds patience = mistakes_ > 0 ? options_.most_patience : options_.patience;
  return excess_.since <= now - patience || number(sample.waiting) >= burst();
}

void QueueControl::begin(nanoseconds now, std::uint32_t cpus) noexcept {
  sheds_ = true;
  began_ = now;
  last_refused_ = now;
  admitted_since_ = 0;
  reserved_ = 0;
  turn_ = {.since = now};
  presence_ = {.since = now};
  set_may_wait(std::max(first_may_wait, cpus / 4));
}

void QueueControl::set_may_wait(std::uint32_t number) noexcept {
  may_wait_ = std::max(number, 1U);
  window_ = {};
}

void QueueControl::regulate(const QueueSample& sample) noexcept {
  // What came before still waits: nothing can be learnt until it has begun.
  if (sample.waiting > may_wait_ + reserved_) {
    window_ = {};
    return;
  }
  window_.add(sample);
  if (window_.offered < least_for_more) return;
  // With more CPUs one place more is a shorter wait, and less idleness to be had for it.
  const double accepted = options_.idle_accepted / std::sqrt(sample.cpus);
  const double idle = window_.idle_share(sample.cpus);
  const double chance = 3 * std::sqrt(accepted * (1 - accepted) / window_.offered);
  if (idle > accepted + chance) {
    set_may_wait(may_wait_ + std::max(1U, idle > 4 * accepted ? may_wait_ : may_wait_ / 2));
    return;
  }
  // One place less makes the CPUs idle more often by about the ratio of what comes to what goes.
  const double ratio = window_.tried / std::max(window_.admitted, 1.0);
  if (may_wait_ > 1 && window_.offered >= least_for_fewer && idle * ratio < accepted) {
    set_may_wait(may_wait_ - std::max(1U, may_wait_ / 4));
  }
}

bool QueueControl::is_calm(nanoseconds now, const QueueSample& sample) noexcept {
  if (sample.refused > 0) {
    last_refused_ = now;
    admitted_since_ = 0;
  }
  admitted_since_ += sample.admitted;
  const nanoseconds passed = now - last_refused_;
  return passed >= options_.longest_calm ||
         (passed >= options_.calm && admitted_since_ >= options_.calm_requests);
}

// Arrivals do not see the time between bursts, so it is asked for here.
bool QueueControl::has_ended(nanoseconds now, const QueueSample& sample) noexcept {
  const bool is_calm = this->is_calm(now, sample);
  const bool is_often_empty = this->is_often_empty(now, sample);
  if (!is_often_empty && !is_calm && may_wait_ < longest()) return false;
  if (is_often_empty || now - began_ <= options_.longest_burst) {
    mistaken_ = now;
    ++mistakes_;
  }
  return true;
}

bool QueueControl::is_often_empty(nanoseconds now, const QueueSample& sample) noexcept {
  ++presence_.looks;
  presence_.empty += sample.in_flight == 0 ? 1 : 0;
  const nanoseconds enough = std::clamp(duration(requests_to_see / std::max(rate_, 1e-3)),
                                        options_.calm, options_.longest_calm);
  if (now - presence_.since < enough) return false;
  const bool is_often_empty = presence_.empty * 3 > presence_.looks;
  presence_ = {.since = now};
  return is_often_empty;
}

void QueueControl::reserve(nanoseconds now, const QueueSample& sample) noexcept {
  turn_.normal += sample.offered_normal;
  turn_.limited_normal += sample.limited_normal;
  turn_.admitted += sample.admitted;
  turn_.admitted_low += sample.admitted_low;
  const nanoseconds passed = now - turn_.since;
  if (passed < 100ms || (turn_.admitted < 50 && passed < 1s)) return;
  const bool normal_suffer = number(turn_.limited_normal) > 0.02 * number(turn_.normal);
  const double low_part = number(turn_.admitted_low) / std::max(number(turn_.admitted), 1.0);
  if (normal_suffer && low_part > 0.2) {
    reserved_ = std::min(reserved_ + std::max(1U, reserved_ / 2), options_.length);
  } else if (low_part < 0.05 && reserved_ > 0) {
    reserved_ -= std::max(1U, reserved_ / 4);
  }
  turn_ = {.since = now};
}

double QueueControl::elsewhere_share() const noexcept {
  if (!elsewhere_.sheds || elsewhere_.offered_rate <= 0) return 0;
  return std::clamp(1 - elsewhere_.allowed_rate / elsewhere_.offered_rate, 0.0, 0.99);
}

void QueueControl::feed_elsewhere(nanoseconds now, const QueueSample& sample) noexcept {
  Elsewhere& queue = elsewhere_;
  queue.offered += number(sample.offered);
  queue.ended += number(sample.ended);
  if (sample.shortest_elsewhere != nanoseconds::max()) {
    queue.shortest = queue.is_told ? std::min(queue.shortest, sample.shortest_elsewhere)
                                   : sample.shortest_elsewhere;
    queue.is_told = true;
  }
  const double passed = seconds(now - queue.since);
  if (passed < 0.1) return;
  queue.offered_rate += 0.3 * (queue.offered / passed - queue.offered_rate);
  queue.ended_rate += 0.3 * (queue.ended / passed - queue.ended_rate);
  const nanoseconds beyond = (queue.is_told ? queue.shortest : 0ns) - options_.target;
  if (beyond > 0ns) {
    queue.sheds = queue.sheds || elsewhere_excess_.since <= now - options_.patience ||
                  queue.shortest >= options_.longest_wait;
    queue.allowed_rate = queue.ended_rate * (1 - std::min(0.9, 2 * seconds(beyond)));
  } else {
    queue.allowed_rate = std::max(queue.allowed_rate, queue.ended_rate) * 1.05;
  }
  if (elsewhere_share() > 0) queue.last_shed = now;
  if (queue.sheds && now - queue.last_shed >= options_.calm) queue.sheds = false;
  queue.since = now;
  queue.is_told = false;
  queue.offered = queue.ended = 0;
}

}  // namespace weft::admission
