// SPDX-License-Identifier: Apache-2.0
// What may be used by now, and what was.
#include "pool/ration.h"

#include <algorithm>

namespace weft::pool {
namespace {

using namespace std::chrono_literals;

constexpr double burst_share = 0.3;   // of the quota
constexpr double rest_share = 0.15;   // of that: who is held back goes on with so much room
constexpr double line_share = 0.97;   // of the period, until all but the spare may be used
constexpr double least_spare = 0.03;  // the same
constexpr double first_spare = 0.05;
constexpr double most_spare = 0.2;
constexpr double spare_growth = 1.5;        // by a period that was throttled
constexpr double spare_decay = 0.995;       // by one that was not
constexpr double most_to_come = 0.25;       // of the quota
constexpr std::uint64_t jobs_to_learn = 8;  // what one costs
constexpr double cost_weight = 0.2;
constexpr nanoseconds shortest_look = 500us;
constexpr double longest_look = 0.1;  // of a period
constexpr nanoseconds look_to_learn = 1ms;
constexpr nanoseconds next_period_look = 50us;  // after it has begun, at the earliest

double count(nanoseconds duration) noexcept {
  return static_cast<double>(duration.count());
}

nanoseconds duration(double count) noexcept {
  return nanoseconds(static_cast<std::int64_t>(count));
}

}  // namespace

Ration::Ration(nanoseconds quota, nanoseconds period) noexcept
    : quota_(count(quota)), period_(count(period)), spare_(first_spare * quota_) {}

void Ration::learn(const RationLook& look) noexcept {
  if (!last_) {
    cost_since_used_ = look.used;
    cost_since_done_ = look.done;
    return;
  }
  const std::uint64_t done = look.done - cost_since_done_;
  if (done < jobs_to_learn) return;
  const double mean = count(look.used - cost_since_used_) / static_cast<double>(done);
  cost_ = cost_ == 0 ? mean : cost_ + cost_weight * (mean - cost_);
  cost_since_used_ = look.used;
  cost_since_done_ = look.done;
}

// Nobody may have looked when it began: then the use is taken to have been even.
void Ration::begin_period(nanoseconds began, const RationLook& look) noexcept {
  began_ = began;
  holds_ = false;  // one at least may begin in each, however long the others take
  const double part =
      last_ && last_->now < began ? count(began - last_->now) / count(look.now - last_->now) : 0;
  const double before = last_ ? count(last_->used) : count(look.used);
  used_before_ = before + part * (count(look.used) - before);
  const bool was_throttled = last_ && look.throttled > throttled_before_;
  spare_ = std::clamp(spare_ * (was_throttled ? spare_growth : spare_decay), least_spare * quota_,
                      most_spare * quota_);
  throttled_before_ = look.throttled;
}

// Of a job that has begun half is done, in the mean. Of many, most wait for something, and the
// later it is the fewer of them come back within this period.
double Ration::to_come(const RationLook& look) const noexcept {
  const double left = std::max(1 - count(look.now - began_) / period_, 0.0);
  return std::min(look.running * cost_ / 2, most_to_come * quota_ * left);
}

// For who has been held back: to be woken up for each job is dear, and with room for less than one
// it would be held back at once. Late in the period there is not much left to wait for.
double Ration::enough_to_go_on(double left) const noexcept {
  const double most = rest_share * burst_share * quota_;
  return std::clamp(left / 2, std::min(cost_ / 2, most), most);
}

std::uint32_t Ration::jobs_in(double room) const noexcept {
  if (cost_ <= 0) return RationAnswer::any_number;
  return static_cast<std::uint32_t>(std::clamp(room / cost_, 1.0, 1e6));
}

RationAnswer Ration::look(const RationLook& look) noexcept {
  learn(look);
  // Who is never left waiting does not wake a monitor that sleeps, and may use up a quota.
  const bool is_quiet = look.running == 0 && last_ && look.done == last_->done;
  if (!look.began) {
    last_ = look;
    return {.may_begin = true, .next_look = look_to_learn, .may_sleep = is_quiet};
  }
  // The instant is known better from time to time, which does not make it another period.
  const bool is_another = !last_ || !last_->began || count(*look.began - began_) > period_ / 2;
  if (is_another) begin_period(*look.began, look);
  last_ = look;
  const double burst = burst_share * quota_;
  const double rate = (quota_ - spare_ - burst) / (line_share * period_);
  const double passed = count(look.now - began_);
  const double used = count(look.used) - used_before_ + to_come(look);
  const double room = std::min(burst + rate * passed, quota_ - spare_) - used;
  const double enough = holds_ ? enough_to_go_on(quota_ - spare_ - used) : 0;
  holds_ = room < enough;
  const double most_rate = std::max(look.cpus - rate, 0.1);
  const nanoseconds until_next = duration(std::max(period_ - passed, 0.0));
  const nanoseconds change = holds_ ? duration((enough - room) / rate)
                                    : duration(std::min(room / most_rate, longest_look * period_));
  return {.may_begin = !holds_,
          .jobs = jobs_in(room),
          .next_look =
              std::max(std::min(std::max(change, shortest_look), until_next), next_period_look),
          .may_sleep = !holds_ && used < burst && is_quiet};
}

}  // namespace weft::pool
