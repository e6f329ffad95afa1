// SPDX-License-Identifier: Apache-2.0
// What the controller learns from a look, and what it makes of it.
#include "pool/controller.h"

#include <algorithm>

namespace weft::pool {
namespace {

using namespace std::chrono_literals;

constexpr double memory = 50e6;  // nanoseconds
constexpr nanoseconds shortest_look = 1ms;
constexpr nanoseconds longest_look = 2ms;
constexpr nanoseconds longest_look_at_computing = 8ms;
constexpr nanoseconds stays_up = 50ms;    // after the last job that waited
constexpr nanoseconds long_wait = 500us;  // a job that waits so long is not just being fetched
constexpr nanoseconds lowers_after = 100ms;
constexpr double computes = 0.95;  // share from which jobs count as computing only
constexpr double smallest_share = 1.0 / 16384;
constexpr std::uint32_t biggest_step = 4;  // times as many as are active
constexpr std::uint32_t hysteresis = 8;    // an eighth of allowed is no difference

double count(nanoseconds duration) noexcept {
  return static_cast<double>(duration.count());
}

}  // namespace

std::uint32_t Controller::first_allowed(std::uint32_t cpus) const noexcept {
  return std::clamp(cpus, 1U, options_.maximum);
}

std::uint32_t Controller::first_threads() const noexcept {
  return std::min(options_.minimum + options_.reserve, options_.maximum);
}

void Controller::learn(const Look& look) noexcept {
  const double seen = count(look.ran + look.blocked_for);
  // Many workers say no more than one that was looked at all the time.
  const double weight = std::min(seen, count(look.now - last_));
  last_ = look.now;
  if (weight <= 0) return;
  share_ = (share_ * known_ + count(look.ran) / seen * weight) / (known_ + weight);
  known_ = std::min(known_ + weight, memory);
}

std::uint32_t Controller::target(const Look& look) const noexcept {
  const auto workers_for = [&](double share) {
    const double more = share < computes ? 1 : 0;
    const double exact = look.cpus / std::max(share, smallest_share) + more;
    const double most = options_.maximum;
    return std::max(static_cast<std::uint32_t>(std::min(exact, most)),
                    std::min(look.cpus, options_.maximum));
  };
  const std::uint32_t known = workers_for(share_);
  const double seen = count(look.ran + look.blocked_for);
  if (look.oldest_waited < long_wait || seen < count(long_wait)) return known;
  const std::uint32_t now = workers_for(count(look.ran) / seen);
  return std::max(known, std::min(now, biggest_step * look.active));
}

void Controller::allow(const Look& look) noexcept {
  if (allowed_ == 0 || known_ <= 0) allowed_ = first_allowed(look.cpus);
  if (known_ <= 0) return;
  const std::uint32_t target = this->target(look);
  const std::uint32_t slack = 1 + allowed_ / hysteresis;
  if (look.cpus != cpus_ || target > allowed_ + slack ||
      (target > allowed_ && (target == options_.maximum || allowed_ <= look.cpus))) {
    allowed_ = target;
    enough_since_ = nanoseconds{-1};
  } else if (target >= allowed_) {
    enough_since_ = nanoseconds{-1};
  } else if (enough_since_ < nanoseconds{0}) {
    enough_since_ = look.now;
    most_enough_ = target;
  } else {
    most_enough_ = std::max(most_enough_, target);
    if (look.now - enough_since_ < lowers_after) return;
    enough_since_ = nanoseconds{-1};
    if (most_enough_ + slack < allowed_ || most_enough_ == look.cpus) allowed_ = most_enough_;
  }
  cpus_ = look.cpus;
}

bool Controller::shrinks(const Look& look, std::uint32_t wanted) noexcept {
  most_wanted_ = std::max(most_wanted_, wanted);
  const bool is_first = shrunk_ < nanoseconds{0};
  if (is_first || look.threads < wanted) shrunk_ = look.now;  // it grows
  if (look.now - shrunk_ < options_.shrink_interval) return false;
  const bool one_too_many = look.threads > most_wanted_;
  shrunk_ = look.now;
  most_wanted_ = wanted;
  return one_too_many;
}

bool Controller::only_computes(const Look& look) const noexcept {
  const double seen = count(look.ran + look.blocked_for);
  return seen > 0 && share_ >= computes && count(look.ran) >= computes * seen;
}

std::uint32_t Controller::wanted_threads(const Look& look) const noexcept {
  const std::uint32_t room = allowed_ > look.active ? allowed_ - look.active : 0;
  const std::uint32_t needed = look.active + look.blocked + std::min(look.queued, room);
  return std::clamp(needed + options_.reserve, options_.minimum, options_.maximum);
}

std::uint32_t Controller::missing_threads(const Look& look) const noexcept {
  const std::uint32_t wanted = wanted_threads(look);
  return wanted > look.threads ? wanted - look.threads : 0;
}

Decision Controller::look(const Look& look) noexcept {
  learn(look);
  Decision decision;
  allow(look);
  decision.allowed = allowed_;
  decision.start = missing_threads(look);
  decision.retire = shrinks(look, wanted_threads(look));

  if (look.queued != 0) waited_ = look.now;
  decision.may_sleep = look.queued == 0 && look.now - waited_ >= stays_up;
  const bool may_grow = decision.allowed < options_.maximum || decision.start != 0;
  const bool finds_nothing = only_computes(look) && look.active >= allowed_;
  const bool is_urgent = look.oldest_waited >= shortest_look && may_grow && !finds_nothing;
  const nanoseconds longest = finds_nothing ? longest_look_at_computing : longest_look;
  next_look_ = is_urgent || decision.may_sleep ? shortest_look
                                               : std::clamp(2 * next_look_, shortest_look, longest);
  decision.next_look = decision.may_sleep ? options_.shrink_interval : next_look_;
  return decision;
}

}  // namespace weft::pool
