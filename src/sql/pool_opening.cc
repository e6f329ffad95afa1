// SPDX-License-Identifier: Apache-2.0
// How a pool opens connections: for those who wait, a few at once, and not on a database that is
// down.
#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

#include "sql/backoff.h"
#include "sql/pool_core.h"

namespace weft::sql {

bool PoolCore::may_open(const Lane& lane, const Lock&) const {
  std::uint32_t all_opening = 0;
  for (const Lane& one : lanes_) all_opening += one.opening;
  // After a failure one goes ahead alone.
  const bool is_first_again = lane.failures == 0 || lane.opening == 0;
  return !is_closed_ && lane.waiters.size() > lane.opening && lane.size() < lane.limit &&
         all_opening < std::max(1U, options_.openings) && is_first_again &&
         Clock::now() >= lane.retry_at;
}

// No connection will come for who waits now.
bool PoolCore::is_hopeless(const Lane& lane, const Lock&) const {
  return lane.failures > 0 && lane.away() == 0 && lane.opening == 0 && Clock::now() < lane.retry_at;
}

void PoolCore::pump(const Lock& lock) {
  if (is_closed_) return;
  for (std::size_t index = 0; index < lanes_.size(); ++index) {
    while (may_open(lanes_[index], lock)) start_opening(index, lock);
    if (is_hopeless(lanes_[index], lock) && !lanes_[index].waiters.empty()) {
      fail_waiters(lanes_[index], down_error(lanes_[index], lock), lock);
    }
  }
}

void PoolCore::start_opening(std::size_t index, const Lock& lock) {
  Lane& lane = lanes_[index];
  ++lane.opening;
  try {
    openers_->post([self = shared_from_this(), index] { self->open(index); });
  } catch (const std::exception& exception) {
    --lane.opening;
    opening_failed(lane,
                   Error(ErrorKind::unavailable, "",
                         std::string("no thread to open a connection: ") + exception.what()),
                   lock);
  }
}

// On a thread of the pool's own.
void PoolCore::open(std::size_t index) noexcept {
  Options options = options_.connection;
  std::unique_ptr<Connection> connection;
  std::optional<Error> error;
  try {
    const auto guard = set_cancellation(closing_.token());
    options.access = index == 0 ? Access::write : Access::read;
    connection = std::make_unique<Connection>(url_, options, cancels_);
  } catch (const Error& thrown) {
    error = thrown;
  } catch (const std::exception& thrown) {
    error = Error(ErrorKind::unavailable, "", thrown.what());
  }
  Lock lock(mutex_);
  Lane& lane = lanes_[index];
  --lane.opening;
  if (error) {
    opening_failed(lane, *error, lock);
  } else {
    lane.failures = 0;
    ++counts_.opened;
    if (is_closed_ || lane.size() >= lane.limit) {
      ++counts_.discarded;
    } else {
      ++lane.leased;
      lock.unlock();
      give_back(std::move(connection), index);
      return;
    }
  }
  pump(lock);
  lock.unlock();
}

void PoolCore::opening_failed(Lane& lane, const Error& error, const Lock& lock) {
  ++counts_.open_failures;
  ++lane.failures;
  const double chance = std::uniform_real_distribution<double>(0, 1)(random_);
  lane.retry_at = Clock::now() + pause_after(lane.failures, options_.shortest_pause,
                                             options_.longest_pause, chance);
  lane.last_error = error;
  // While connections are lent, one may still come back to them.
  if (lane.away() == 0 && lane.opening == 0) fail_waiters(lane, error, lock);
}

void PoolCore::fail_waiters(Lane& lane, const Error& error, const Lock&) {
  for (Waiter* const waiter : lane.waiters) {
    waiter->error = error;
    waiter->is_served = true;
    waiter->condition.notify_one();
  }
  lane.waiters.clear();
}

Error PoolCore::down_error(const Lane& lane, const Lock&) const {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(lane.retry_at - Clock::now());
  return {lane.last_error->kind(), lane.last_error->code(),
          "the database is down (" + std::string(lane.last_error->what()) +
              "); the next try is in " + std::to_string(left.count()) + " ms at the earliest"};
}

}  // namespace weft::sql
