// SPDX-License-Identifier: Apache-2.0
// PoolCore: what a pool and its leases share; see <weft/sql_pool.h> for lanes and states.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <weft/cancel.h>
#include <weft/sql_pool.h>

#include "sql/helpers.h"
#include "sql/pool_metrics.h"

namespace weft::sql {

class PoolCore : public std::enable_shared_from_this<PoolCore> {
 public:
  PoolCore(Url url, const ConnectionPoolOptions& options);
  // Precondition: close().
  ~PoolCore() = default;
  PoolCore(const PoolCore&) = delete;
  PoolCore& operator=(const PoolCore&) = delete;

  ConnectionPool::Lease lease(Access access);
  void give_back(std::unique_ptr<Connection> connection, std::size_t lane) noexcept;
  void set_size(std::uint32_t size);
  void close();

  ConnectionPoolCounters counters() const;
  const PoolMetrics& metrics() const noexcept { return metrics_; }

 private:
  using Clock = std::chrono::steady_clock;
  using Lock = std::unique_lock<std::mutex>;
  using Connections = std::vector<std::unique_ptr<Connection>>;

  struct Waiter {
    std::condition_variable condition;
    std::unique_ptr<Connection> given;
    std::optional<Error> error;
    bool is_served = false;
  };
  struct Lane {
    Access access = Access::write;
    std::uint32_t limit = 0;
    std::uint32_t leased = 0;
    std::uint32_t opening = 0;
    std::uint32_t recovering = 0;  // given back, and not yet to be lent again
    Connections idle;              // the warmest last
    std::deque<Waiter*> waiters;
    // Since the last success.
    std::uint32_t failures = 0;
    Clock::time_point retry_at = Clock::time_point::min();
    std::optional<Error> last_error;

    std::size_t size() const noexcept { return leased + recovering + idle.size() + opening; }
    // Those that may still come to who waits.
    std::uint32_t away() const noexcept { return leased + recovering; }
  };

  std::size_t lane_of(Access access) const noexcept;
  // Where it recovers, it is taken, and given back when that is over.
  bool await_recovery(std::unique_ptr<Connection>& connection, std::size_t lane) noexcept;
  void settle(std::unique_ptr<Connection> connection, std::size_t lane) noexcept;
  std::unique_ptr<Connection> take_idle(Lane& lane, Lock& lock);
  std::unique_ptr<Connection> wait_for(Lane& lane, Lock& lock, const CancelToken& token);
  // Each says by its lock what must be held.
  void pump(const Lock& lock);
  bool may_open(const Lane& lane, const Lock& lock) const;
  bool is_hopeless(const Lane& lane, const Lock& lock) const;
  void start_opening(std::size_t index, const Lock& lock);
  void opening_failed(Lane& lane, const Error& error, const Lock& lock);
  void fail_waiters(Lane& lane, const Error& error, const Lock& lock);
  Error down_error(const Lane& lane, const Lock& lock) const;
  void open(std::size_t index) noexcept;
  void check_open(const Lock& lock) const;

  const Url url_;
  const ConnectionPoolOptions options_;
  const std::shared_ptr<Helpers> cancels_;
  CancelSource closing_;
  PoolMetrics metrics_;

  mutable std::mutex mutex_;
  // Guarded by mutex_.
  std::deque<Lane> lanes_;  // the writers' first
  std::condition_variable recovered_;
  std::unique_ptr<Helpers> openers_;
  bool is_closed_ = false;
  std::minstd_rand random_;
  ConnectionPoolCounters counts_;  // what the lanes do not know
};

}  // namespace weft::sql
