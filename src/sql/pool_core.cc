// SPDX-License-Identifier: Apache-2.0
// Leases: taken, waited for, and given back.
#include "sql/pool_core.h"

#include <weft/cancel_wait.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace weft::sql {
namespace {

// One behind the other they would keep their connections for longer; and one that hangs, those of
// others.
constexpr std::size_t cancels_at_once = 8;
// For those that recover when the pool closes.
constexpr std::chrono::seconds longest_goodbye{2};

// Of each lane, the writers' first.
std::vector<std::uint32_t> limits_for(const Url& url, std::uint32_t size) {
  if (url.is_in_memory()) return {1};
  if (url.dialect == Dialect::sqlite) return {1, std::max(2U, size) - 1};
  return {std::max(1U, size)};
}

void add(StatementCounters& all, const StatementCounters& more) {
  all.statements += more.statements;
  all.failures += more.failures;
  all.cancels += more.cancels;
}

}  // namespace

PoolCore::PoolCore(Url url, const ConnectionPoolOptions& options)
    : url_(std::move(url)),
      options_(options),
      cancels_(std::make_shared<Helpers>(cancels_at_once)),
      openers_(std::make_unique<Helpers>(std::max(1U, options.openings))),
      random_(std::random_device()()) {
  for (const std::uint32_t limit : limits_for(url_, options.size)) {
    Lane& lane = lanes_.emplace_back();
    lane.limit = limit;
    lane.access = lanes_.size() == 1 ? Access::write : Access::read;
  }
}

std::size_t PoolCore::lane_of(Access access) const noexcept {
  return access == Access::read ? lanes_.size() - 1 : 0;
}

void PoolCore::check_open(const Lock&) const {
  if (is_closed_) throw Error(ErrorKind::unavailable, "", "the pool of connections is closed");
}

ConnectionPool::Lease PoolCore::lease(Access access) {
  const CancelToken token = cancellation();
  token.check();
  const auto began = Clock::now();
  struct Record {
    measure::Histogram& waited;
    Clock::time_point began;
    ~Record() { waited.record(Clock::now() - began); }
  };
  const Record record{metrics_.waited, began};
  Lock lock(mutex_);
  check_open(lock);
  const std::size_t index = lane_of(access);
  Lane& lane = lanes_[index];
  auto connection = take_idle(lane, lock);
  if (connection == nullptr) connection = wait_for(lane, lock, token);
  ++counts_.leases;
  return {shared_from_this(), std::move(connection), index};
}

// Those on which the server has hung up are closed on the way. Null: there is none.
std::unique_ptr<Connection> PoolCore::take_idle(Lane& lane, Lock& lock) {
  while (lane.waiters.empty() && !lane.idle.empty()) {
    auto connection = std::move(lane.idle.back());
    lane.idle.pop_back();
    ++lane.leased;
    lock.unlock();
    if (!connection->is_fresh()) connection.reset();
    lock.lock();
    if (connection != nullptr) return connection;
    --lane.leased;
    ++counts_.discarded;
  }
  return nullptr;
}

std::unique_ptr<Connection> PoolCore::wait_for(Lane& lane, Lock& lock, const CancelToken& token) {
  check_open(lock);
  if (is_hopeless(lane, lock)) {
    ++counts_.refused;
    pump(lock);  // who came while a stale connection was looked at hears of it, too
    throw down_error(lane, lock);
  }
  Waiter waiter;
  lane.waiters.push_back(&waiter);
  ++counts_.waits;
  pump(lock);
  if (!wait(waiter.condition, lock, token, [&] { return waiter.is_served; })) {
    lane.waiters.erase(std::find(lane.waiters.begin(), lane.waiters.end(), &waiter));
    ++counts_.waits_cancelled;
    throw Cancelled(token.reason());
  }
  if (waiter.error) throw Error(*waiter.error);
  return std::move(waiter.given);
}

void PoolCore::give_back(std::unique_ptr<Connection> connection, std::size_t index) noexcept {
  if (!await_recovery(connection, index)) settle(std::move(connection), index);
}

bool PoolCore::await_recovery(std::unique_ptr<Connection>& connection, std::size_t index) noexcept {
  if (!connection->is_recovering()) return false;
  {
    const Lock lock(mutex_);
    --lanes_[index].leased;
    ++lanes_[index].recovering;
  }
  const auto is_over = [this, index] {
    const Lock lock(mutex_);
    ++lanes_[index].leased;
    --lanes_[index].recovering;
    recovered_.notify_all();
  };
  Connection* const away = connection.release();
  try {
    if (away->when_recovered([self = shared_from_this(), away, index, is_over] {
          is_over();
          self->settle(std::unique_ptr<Connection>(away), index);
        })) {
      return true;
    }
  } catch (const std::exception&) {
    away->discard();  // no memory
  }
  connection.reset(away);
  is_over();
  return false;
}

// What is to become of it, now that it does not recover.
void PoolCore::settle(std::unique_ptr<Connection> connection, std::size_t index) noexcept {
  const bool is_fresh = connection->is_fresh();
  Lock lock(mutex_);
  Lane& lane = lanes_[index];
  add(counts_.statements, connection->take_counters());
  if (!is_fresh || is_closed_ || lane.size() > lane.limit) {
    --lane.leased;
    ++counts_.discarded;
  } else if (!lane.waiters.empty()) {
    Waiter& waiter = *lane.waiters.front();
    lane.waiters.pop_front();
    waiter.given = std::move(connection);
    waiter.is_served = true;
    waiter.condition.notify_one();
  } else {
    --lane.leased;
    lane.idle.push_back(std::move(connection));
  }
  pump(lock);
  lock.unlock();
  connection.reset();  // closing it may take a while
}

void PoolCore::set_size(std::uint32_t size) {
  Connections closing;
  Lock lock(mutex_);
  const std::vector<std::uint32_t> limits = limits_for(url_, size);
  for (std::size_t index = 0; index < lanes_.size(); ++index) {
    Lane& lane = lanes_[index];
    lane.limit = limits[index];
    while (lane.size() > lane.limit && !lane.idle.empty()) {
      closing.push_back(std::move(lane.idle.front()));
      lane.idle.erase(lane.idle.begin());
      ++counts_.discarded;
    }
  }
  pump(lock);
  lock.unlock();
}

void PoolCore::close() {
  closing_.cancel(CancelReason::shutdown);
  Connections closing;
  std::unique_ptr<Helpers> openers;
  {
    Lock lock(mutex_);
    is_closed_ = true;
    const Error error(ErrorKind::unavailable, "", "the pool of connections is closed");
    for (Lane& lane : lanes_) {
      fail_waiters(lane, error, lock);
      std::move(lane.idle.begin(), lane.idle.end(), std::back_inserter(closing));
      lane.idle.clear();
    }
    openers = std::move(openers_);
    recovered_.wait_for(lock, longest_goodbye, [&] {
      return std::all_of(lanes_.begin(), lanes_.end(),
                         [](const Lane& lane) { return lane.recovering == 0; });
    });
  }
  openers.reset();
}

ConnectionPoolCounters PoolCore::counters() const {
  const Lock lock(mutex_);
  ConnectionPoolCounters all = counts_;
  for (const Lane& lane : lanes_) {
    all.limit += lane.limit;
    all.open += lane.leased + lane.recovering + static_cast<std::uint32_t>(lane.idle.size());
    all.leased += lane.leased;
    all.opening += lane.opening;
    all.recovering += lane.recovering;
    all.waiting += static_cast<std::uint32_t>(lane.waiters.size());
  }
  return all;
}

}  // namespace weft::sql
