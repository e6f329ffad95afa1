// SPDX-License-Identifier: Apache-2.0
// weft::sql::ConnectionPool: as many connections to one database as the budget has threads to wait
// for it, lent to one piece of work at a time.
//
//   weft::sql::ConnectionPool pool(weft::sql::Url::parse(url));
//   auto lease = pool.lease();                       // gives up with weft::cancellation()
//   lease->execute("INSERT INTO note (text) VALUES (?)", {text});
//
// Concepts
//   lane      connections of one kind, with a limit. A server's database has one. A SQLite file has
//             two: one writer, so that writers of this process queue here instead of polling for
//             the file's lock, and readers, whom the write-ahead log lets read beside it. A SQLite
//             database in memory is its only connection.
//   opening   connections are opened when somebody waits, on threads of the pool's own, a few at
//             once. Whoever has given up leaves an open connection for the next.
//   down      after an opening failed, for 100 ms to 5 s (doubling, with jitter). While it lasts
//   and
//             no connection is lent out, lease() throws at once; then the next lease tries again.
//
//   idle  --lease-->  leased  --it went well-->             idle, or the oldest who waits
//                     leased  --broken, stale, too many-->  closed
//                     leased  --its statement was left-->   recovering  -->  as above
//
// Invariants
//   - leased + recovering + idle + opening <= limit, but for leases that were taken before the
//   limit shrank.
//   - Who waits is served in order, before anybody who comes later.
//   - A connection that is lent is not broken, does not recover, is in no transaction, and its
//     server has not hung up.
//
// What a session keeps beyond its transactions (SET, temporary tables) is the next one's, too.
//
// lease() blocks the kernel's thread (std::condition_variable), as the statements do: for fibers it
// is the same rule as for them. The pool may go before its leases.
//
// Rejected: a thread that pings idle connections. It costs a round trip per connection and minute,
// and tells of the past; a look at the socket when lending costs a system call and tells of now.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <utility>

#include <weft/sql.h>

namespace weft::sql {

struct PoolMetrics;
class PoolCore;

struct ConnectionPoolOptions {
  std::uint32_t size = 0;  // connections, 1 at least; 0: io_pool_threads of the budget, followed
  std::uint32_t openings = 2;                     // at once
  std::chrono::milliseconds shortest_pause{100};  // after a failed opening
  std::chrono::milliseconds longest_pause{5'000};
  Options connection{};  // its access is the pool's to choose
};

struct ConnectionPoolCounters {
  std::uint32_t limit = 0;
  std::uint32_t open = 0;  // idle, leased and recovering
  std::uint32_t leased = 0;
  std::uint32_t opening = 0;
  std::uint32_t recovering = 0;  // from a statement that was cancelled; see sql.h
  std::uint32_t waiting = 0;
  std::uint64_t leases = 0;
  std::uint64_t waits = 0;            // leases that were not to be had at once
  std::uint64_t waits_cancelled = 0;  // those that gave up
  std::uint64_t refused = 0;          // because the database is down
  std::uint64_t opened = 0;
  std::uint64_t open_failures = 0;
  std::uint64_t discarded = 0;  // broken, stale, or more than the limit
  // Of the statements on connections that came back.
  StatementCounters statements;
};

class ConnectionPool {
 public:
  class [[nodiscard]] Lease {
   public:
    Lease(std::shared_ptr<PoolCore> core, std::unique_ptr<Connection> connection,
          std::size_t lane) noexcept;
    ~Lease();
    Lease(Lease&& other) noexcept = default;
    Lease& operator=(Lease&&) = delete;
    Connection& operator*() const noexcept { return *connection_; }
    Connection* operator->() const noexcept { return connection_.get(); }

   private:
    std::shared_ptr<PoolCore> core_;
    std::unique_ptr<Connection> connection_;
    std::size_t lane_;
  };

  // Opens nothing yet.
  explicit ConnectionPool(Url url, ConnectionPoolOptions options = {});
  // Who waits gets Error(unavailable). Takes seconds at most, whatever the database does.
  ~ConnectionPool();
  ConnectionPool(const ConnectionPool&) = delete;
  ConnectionPool& operator=(const ConnectionPool&) = delete;

  // Throws Cancelled; or Error(unavailable), at once where the database is known to be down.
  Lease lease(Access access = Access::write);

  // From now on so many; the budget is followed no more.
  void set_size(std::uint32_t size);

  ConnectionPoolCounters counters() const;
  // How long leases were waited for.
  const PoolMetrics& metrics() const noexcept;

 private:
  struct Budget;
  std::shared_ptr<PoolCore> core_;
  std::unique_ptr<Budget> budget_;
};

}  // namespace weft::sql
