// SPDX-License-Identifier: Apache-2.0
// Pools of connections lend, wait, replace and count on every database.
#include <atomic>
#include <latch>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "sql/pool_metrics.h"
#include "tests/sql/contract.h"

namespace weft::sql::test {
namespace {

using namespace std::chrono_literals;

class Pools : public ContractTest {
 protected:
  static ConnectionPoolOptions of_size(std::uint32_t size) {
    ConnectionPoolOptions options;
    options.size = size;
    return options;
  }
};

TEST_P(Pools, LendTheSameConnectionAgain) {
  ConnectionPool pool(url(), of_size(4));
  EXPECT_EQ(pool.counters().open, 0U);
  for (int round = 0; round < 5; ++round) {
    const auto lease = pool.lease();
    EXPECT_EQ(lease->execute("SELECT 1")[0].integer(0), 1);
    EXPECT_EQ(pool.counters().leased, 1U);
  }
  const ConnectionPoolCounters counters = pool.counters();
  EXPECT_EQ(counters.leased, 0U);
  EXPECT_EQ(counters.open, 1U);
  EXPECT_EQ(counters.opened, 1U);
  EXPECT_EQ(counters.leases, 5U);
  EXPECT_EQ(counters.waits, 1U);
  EXPECT_EQ(counters.statements.statements, 5U);
  EXPECT_EQ(pool.metrics().waited.snapshot().count(), 5U);
}

TEST_P(Pools, LetWaitersGiveUpAtTheirDeadline) {
  ConnectionPool pool(url(), of_size(1));
  std::optional<ConnectionPool::Lease> held(pool.lease());
  EXPECT_EQ(reason_of([&] {
              const CancelScope scope(Clock::now() + 20ms);
              const auto lease = pool.lease();
            }),
            CancelReason::deadline);
  EXPECT_EQ(pool.counters().waits_cancelled, 1U);
  EXPECT_EQ(pool.counters().waiting, 0U);
  held.reset();
  EXPECT_EQ(pool.lease()->execute("SELECT 1").size(), 1U);
}

TEST_P(Pools, HandAConnectionToWhoeverWaits) {
  ConnectionPool pool(url(), of_size(1));
  std::optional<ConnectionPool::Lease> held(pool.lease());
  std::thread waiter([&] { EXPECT_EQ(pool.lease()->execute("SELECT 1").size(), 1U); });
  while (pool.counters().waiting == 0) std::this_thread::yield();
  held.reset();
  waiter.join();
  EXPECT_EQ(pool.counters().opened, 1U);
}

TEST_P(Pools, ReplaceWhatIsBroken) {
  ConnectionPool pool(url(), of_size(1));
  pool.lease()->discard();
  EXPECT_EQ(pool.counters().discarded, 1U);
  EXPECT_EQ(pool.lease()->execute("SELECT 1").size(), 1U);
  EXPECT_EQ(pool.counters().opened, 2U);
}

TEST_P(Pools, KeepNoConnectionInATransaction) {
  make_table("forgotten", "id BIGINT");
  ConnectionPool pool(url(), of_size(1));
  {
    const auto lease = pool.lease();
    lease->execute("BEGIN");
    lease->execute("INSERT INTO forgotten VALUES (1)");
  }
  EXPECT_EQ(pool.counters().discarded, 1U);
  EXPECT_EQ(count("forgotten"), 0);
}

TEST_P(Pools, ShrinkAndGrow) {
  ConnectionPool pool(url(), of_size(4));
  const Access access = Access::read;
  {
    const auto one = pool.lease(access);
    const auto two = pool.lease(access);
    const auto three = pool.lease(access);
    EXPECT_EQ(pool.counters().open, 3U);
    pool.set_size(2);
  }
  EXPECT_LE(pool.counters().open, 2U);
  pool.set_size(5);
  std::vector<ConnectionPool::Lease> leases;
  leases.reserve(4);
  for (int number = 0; number < 4; ++number) leases.push_back(pool.lease(access));
  EXPECT_EQ(pool.counters().leased, 4U);
}

TEST_P(Pools, MayGoBeforeTheirLeases) {
  std::optional<ConnectionPool> pool(std::in_place, url(), of_size(2));
  const auto lease = pool->lease();
  pool.reset();
  EXPECT_EQ(lease->execute("SELECT 1").size(), 1U);
}

TEST_P(Pools, TellWaitersThatTheyClose) {
  std::optional<ConnectionPool> pool(std::in_place, url(), of_size(1));
  const auto lease = pool->lease();
  std::thread waiter([&] {
    EXPECT_EQ(kind_of([&] { const auto late = pool->lease(); }), ErrorKind::unavailable);
  });
  while (pool->counters().waiting == 0) std::this_thread::yield();
  pool.reset();
  waiter.join();
}

// What was cancelled goes back to the pool while its cancel may still be on its way, and to
// somebody else from there, whose statement nobody has cancelled.
TEST_P(Pools, LendNothingThatACancelIsOnItsWayTo) {
  constexpr int rounds = 100;
  constexpr int bystanders = 3;
  ConnectionPoolOptions options = of_size(2);
  options.connection = patient();
  ConnectionPool pool(url(), options);
  const std::string statement = backend().statement_that_takes(0.001);
  std::atomic<bool> ends{false};
  std::atomic<int> hit{0};
  std::atomic<int> answered{0};
  std::vector<std::thread> threads;
  threads.reserve(bystanders);
  for (int number = 0; number < bystanders; ++number) {
    threads.emplace_back([&] {
      while (!ends) {
        try {
          pool.lease()->execute(statement);
          ++answered;
        } catch (const std::exception& error) {
          ADD_FAILURE() << error.what();
          ++hit;
        }
      }
    });
  }
  std::minstd_rand random(7);
  int cancelled = 0;
  for (int round = 0; round < rounds; ++round) {
    const CancelScope scope(Clock::now() + std::chrono::microseconds(random() % 20'000));
    const CancelReason reason = reason_of([&] {
      for (;;) pool.lease()->execute(backend().statement_that_takes(0.003));
    });
    cancelled += reason == CancelReason::deadline ? 1 : 0;
  }
  ends = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(cancelled, rounds);
  EXPECT_EQ(hit, 0);
  EXPECT_GT(answered, 0);
}

// Threads write and read, give up at random, and lose connections, while the size changes. What was
// committed is there, what was not begun is not, and nobody hangs.
TEST_P(Pools, KeepTheirPromisesUnderStress) {
  constexpr int threads = 6;
  constexpr int rounds = 60;
  make_table("stressed", "id BIGINT PRIMARY KEY");
  ConnectionPool pool(url(), of_size(3));
  std::mutex mutex;
  std::set<std::int64_t> committed;
  std::set<std::int64_t> possible;
  std::atomic<int> running{threads};
  const auto work = [&](int number) {
    std::minstd_rand random(static_cast<unsigned>(number) + 1);
    for (int round = 0; round < rounds; ++round) {
      const std::int64_t id = number * 1000 + round;
      const CancelScope scope(Clock::now() + std::chrono::microseconds(random() % 40'000));
      try {
        const auto lease = pool.lease(random() % 3 == 0 ? Access::read : Access::write);
        if (random() % 20 == 0) lease->discard();
        lease->execute("SELECT COUNT(*) FROM stressed");
      } catch (const Cancelled&) {
      } catch (const Error&) {
      }
      try {
        const auto lease = pool.lease();
        Transaction transaction(*lease);
        lease->execute("INSERT INTO stressed VALUES (?)", {id});
        {
          const std::scoped_lock guard(mutex);
          possible.insert(id);
        }
        transaction.commit();
        const std::scoped_lock guard(mutex);
        committed.insert(id);
      } catch (const Cancelled&) {
      } catch (const Error& error) {
        EXPECT_TRUE(error.kind() == ErrorKind::unavailable || error.kind() == ErrorKind::retriable)
            << error.what();
      }
    }
    --running;
  };
  std::vector<std::thread> workers;
  workers.reserve(threads);
  for (int number = 0; number < threads; ++number) workers.emplace_back(work, number);
  for (std::uint32_t size = 1; running > 0; size = size % 4 + 1) {
    pool.set_size(size);
    EXPECT_LE(pool.counters().opening, 2U);
    std::this_thread::sleep_for(1ms);
  }
  for (std::thread& worker : workers) worker.join();

  std::set<std::int64_t> found;
  Connection connection(url());
  for (const Row& row : connection.execute("SELECT id FROM stressed")) found.insert(row.integer(0));
  for (const std::int64_t id : committed) EXPECT_TRUE(found.contains(id)) << id;
  for (const std::int64_t id : found) EXPECT_TRUE(possible.contains(id)) << id;
  EXPECT_GT(committed.size(), 0U);
  const ConnectionPoolCounters counters = pool.counters();
  EXPECT_EQ(counters.leased, 0U);
  EXPECT_EQ(counters.waiting, 0U);
  EXPECT_LE(counters.open, counters.limit + counters.opening);
}

INSTANTIATE_TEST_SUITE_P(Sql, Pools, testing::ValuesIn(backends()), name_of);

}  // namespace
}  // namespace weft::sql::test
