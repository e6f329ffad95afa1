// SPDX-License-Identifier: Apache-2.0
// <weft/sql_pool.h>: a core, and the budget that it follows.
#include <weft/budget_watch.h>
#include <weft/sql_pool.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "sql/pool_core.h"

namespace weft::sql {
namespace {

std::uint32_t size_of(const budget::Budget& budget) {
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(
      budget.sizes.io_pool_threads.value, 1, std::numeric_limits<std::uint32_t>::max()));
}

}  // namespace

struct ConnectionPool::Budget {
  budget::Watch watch;
  budget::Watch::Subscription subscription;
};

ConnectionPool::ConnectionPool(Url url, ConnectionPoolOptions options) {
  const bool follows = options.size == 0;
  if (follows) {
    budget_ = std::make_unique<Budget>();
    options.size = size_of(*budget_->watch.current());
  }
  core_ = std::make_shared<PoolCore>(std::move(url), options);
  if (follows) {
    budget_->subscription = budget_->watch.subscribe(
        [core = core_.get()](const budget::Budget& budget) { core->set_size(size_of(budget)); });
  }
}

ConnectionPool::~ConnectionPool() {
  if (budget_) budget_->subscription.reset();
  core_->close();
}

ConnectionPool::Lease ConnectionPool::lease(Access access) {
  // The pool may go while somebody waits here.
  const std::shared_ptr<PoolCore> core = core_;
  return core->lease(access);
}

void ConnectionPool::set_size(std::uint32_t size) {
  if (budget_) budget_->subscription.reset();
  core_->set_size(size);
}

ConnectionPoolCounters ConnectionPool::counters() const {
  return core_->counters();
}

const PoolMetrics& ConnectionPool::metrics() const noexcept {
  return core_->metrics();
}

ConnectionPool::Lease::Lease(std::shared_ptr<PoolCore> core, std::unique_ptr<Connection> connection,
                             std::size_t lane) noexcept
    : core_(std::move(core)), connection_(std::move(connection)), lane_(lane) {}

ConnectionPool::Lease::~Lease() {
  if (connection_ != nullptr) core_->give_back(std::move(connection_), lane_);
}

}  // namespace weft::sql
