// SPDX-License-Identifier: Apache-2.0
// Servers that stop, start, freeze, and are not there: errors are clear, deadlines hold, and pools
// recover by themselves.
#include <weft/cancel_wait.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "tests/sql/contract.h"

namespace weft::sql::test {
namespace {

using namespace std::chrono_literals;

class Servers : public testing::TestWithParam<Server*> {
 protected:
  Server& server() const { return *GetParam(); }
  static ConnectionPoolOptions options() {
    ConnectionPoolOptions options;
    options.size = 3;
    options.shortest_pause = 20ms;
    options.longest_pause = 200ms;
    return options;
  }
  // Asks until it is answered.
  static void expect_recovery(ConnectionPool& pool) {
    const auto until = Clock::now() + 60s;
    for (;;) {
      try {
        EXPECT_EQ(pool.lease()->execute("SELECT 1")[0].integer(0), 1);
        return;
      } catch (const Error& error) {
        ASSERT_LT(Clock::now(), until) << error.what();
        std::this_thread::sleep_for(5ms);
      }
    }
  }
};

// Nothing of it is left frozen, however the test ends.
class Frozen {
 public:
  explicit Frozen(Server& server) : server_(server) { server_.freeze(); }
  ~Frozen() { server_.thaw(); }
  Frozen(const Frozen&) = delete;
  Frozen& operator=(const Frozen&) = delete;

 private:
  Server& server_;
};

TEST_P(Servers, ThatRestartAreFoundAgainWithoutAnError) {
  ConnectionPool pool(server().url(), options());
  {
    const auto one = pool.lease();
    const auto two = pool.lease();
  }
  server().stop();
  server().start();
  EXPECT_EQ(pool.lease()->execute("SELECT 1")[0].integer(0), 1);
  EXPECT_GE(pool.counters().discarded, 1U);
}

TEST_P(Servers, ThatAreDownAreNotHammered) {
  ConnectionPoolOptions patient = options();
  patient.shortest_pause = patient.longest_pause = 1h;
  ConnectionPool pool(server().url(), patient);
  server().stop();
  std::string message;
  EXPECT_EQ(kind_of([&] { const auto lease = pool.lease(); }, &message), ErrorKind::unavailable);
  EXPECT_NE(message.find(server().url().redacted()), std::string::npos) << message;
  EXPECT_EQ(message.find("p@ss"), std::string::npos) << message;
  for (int round = 0; round < 100; ++round) {
    EXPECT_EQ(kind_of([&] { const auto lease = pool.lease(); }, &message), ErrorKind::unavailable);
  }
  EXPECT_NE(message.find("the next try is in"), std::string::npos) << message;
  EXPECT_EQ(pool.counters().open_failures, 1U);
  EXPECT_EQ(pool.counters().refused, 100U);
  server().start();
}

TEST_P(Servers, ThatStopUnderUseGiveClearErrorsAndComeBack) {
  ConnectionPool pool(server().url(), options());
  std::atomic<bool> ends{false};
  std::atomic<int> answered{0};
  std::atomic<int> failed{0};
  std::vector<std::thread> users;
  users.reserve(4);
  for (int number = 0; number < 4; ++number) {
    users.emplace_back([&] {
      while (!ends) {
        const CancelScope scope(Clock::now() + 5s);
        try {
          pool.lease()->execute("SELECT 1");
          ++answered;
        } catch (const Error& error) {
          EXPECT_EQ(error.kind(), ErrorKind::unavailable) << error.code() << " " << error.what();
          ++failed;
          std::this_thread::sleep_for(1ms);
        } catch (const Cancelled& cancelled) {
          ADD_FAILURE() << cancelled.what();
        }
      }
    });
  }
  while (answered < 100) std::this_thread::yield();
  server().stop();
  while (failed < 20) std::this_thread::yield();
  server().start();
  const int before = answered;
  while (answered < before + 100) std::this_thread::yield();
  ends = true;
  for (std::thread& user : users) user.join();
  EXPECT_EQ(pool.counters().leased, 0U);
}

TEST_P(Servers, ThatFreezeKeepNobodyBeyondItsDeadline) {
  ConnectionPoolOptions limited = options();
  limited.connection.cancel_grace = 100ms;
  ConnectionPool pool(server().url(), limited);
  {
    auto lease = pool.lease();
    lease->execute("SELECT 1");
    const Frozen frozen(server());
    const auto began = Clock::now();
    EXPECT_EQ(reason_of([&] {
                const CancelScope scope(Clock::now() + 100ms);
                lease->execute("SELECT 2");
              }),
              CancelReason::deadline);
    // Nobody knows where the cancel is.
    EXPECT_EQ(kind_of([&] { lease->execute("SELECT 2"); }), ErrorKind::unavailable);
    EXPECT_TRUE(lease->is_broken());
    EXPECT_EQ(reason_of([&] {
                const CancelScope scope(Clock::now() + 100ms);
                const auto another = pool.lease();
                another->execute("SELECT 3");
              }),
              CancelReason::deadline);
    EXPECT_EQ(reason_of([&] {
                const CancelScope scope(Clock::now() + 100ms);
                const Connection alone(server().url());
              }),
              CancelReason::deadline);
    EXPECT_LT(Clock::now() - began, 20s);
  }
  expect_recovery(pool);
}

// As others would have it, too: what the server does about a cancel is nothing to who was
// cancelled. Beside it, in the same run, who has nothing to do with a server, and waits for as
// long.
TEST_P(Servers, ThatFreezeDoNotKeepWhoIsCancelled) {
  constexpr auto grace = 2s;
  constexpr int rounds = 5;
  Clock::duration with_server{0};
  Clock::duration without{0};
  for (int round = 0; round < rounds; ++round) {
    ConnectionPoolOptions limited = options();
    limited.connection.cancel_grace = grace;
    ConnectionPool pool(server().url(), limited);
    auto lease = pool.lease();
    lease->execute("SELECT 1");
    const Frozen frozen(server());
    const auto late_by = [](auto wait_for) {
      const CancelScope scope(Clock::now() + 20ms);
      EXPECT_EQ(reason_of([&] { wait_for(); }), CancelReason::deadline);
      return Clock::now() - cancellation().deadline();
    };
    with_server += late_by([&] { lease->execute("SELECT 2"); });
    without += late_by([&] {
      std::mutex mutex;
      std::condition_variable never;
      std::unique_lock lock(mutex);
      wait(never, lock, cancellation(), [] { return false; });
      cancellation().check();
    });
  }
  EXPECT_LT(with_server, without + rounds * grace / 10);
}

TEST_P(Servers, ThatFreezeDoNotKeepAPoolFromGoing) {
  ConnectionPoolOptions limited = options();
  limited.connection.cancel_grace = 50ms;
  std::optional<ConnectionPool> pool(std::in_place, server().url(), limited);
  { const auto lease = pool->lease(); }
  const Frozen frozen(server());
  EXPECT_EQ(reason_of([&] {
              const CancelScope scope(Clock::now() + 50ms);
              pool->lease()->execute("SELECT 1");
            }),
            CancelReason::deadline);
  EXPECT_EQ(reason_of([&] {
              const CancelScope scope(Clock::now() + 50ms);
              const auto lease = pool->lease();
            }),
            CancelReason::deadline);
  const auto began = Clock::now();
  pool.reset();
  EXPECT_LT(Clock::now() - began, 30s);
}

TEST_P(Servers, ThatLoseATransactionDoNotKeepItsWork) {
  Connection connection(server().url());
  connection.execute("DROP TABLE IF EXISTS lost");
  connection.execute("CREATE TABLE lost (id BIGINT)");
  {
    Transaction transaction(connection);
    connection.execute("INSERT INTO lost VALUES (1)");
    server().stop();
    EXPECT_EQ(kind_of([&] { transaction.commit(); }), ErrorKind::unavailable);
    EXPECT_TRUE(connection.is_broken());
    EXPECT_EQ(kind_of([&] { connection.execute("SELECT 1"); }), ErrorKind::unavailable);
  }
  server().start();
  Connection again(server().url());
  EXPECT_EQ(again.execute("SELECT COUNT(*) FROM lost")[0].integer(0), 0);
}

TEST_P(Servers, AreReachedAndCancelledByTheirOtherDoor) {
  Options options;
  options.cancel_grace = options.cancel_patience = 30s;
  Connection connection(server().other_url(), options);
  EXPECT_EQ(reason_of([&] {
              const CancelScope scope(Clock::now() + 50ms);
              connection.execute(server().statement_that_takes(600));
            }),
            CancelReason::deadline);
  EXPECT_FALSE(connection.is_broken());
  EXPECT_EQ(connection.execute("SELECT 1")[0].integer(0), 1);
}

TEST_P(Servers, ThatKnowAnotherPasswordSaySo) {
  Url url = server().url();
  url.password = "wr0ng-passw0rd";
  std::string message;
  EXPECT_EQ(kind_of([&] { const Connection connection(url); }, &message), ErrorKind::unavailable);
  EXPECT_EQ(message.find(url.password), std::string::npos) << message;
  EXPECT_NE(message.find(":***@"), std::string::npos) << message;
}

TEST_P(Servers, TellDeadlocksAsRetriable) {
  {
    Connection connection(server().url());
    connection.execute("DROP TABLE IF EXISTS dead");
    connection.execute("CREATE TABLE dead (id BIGINT PRIMARY KEY, n BIGINT)");
    connection.execute("INSERT INTO dead VALUES (1, 0), (2, 0)");
  }
  std::atomic<int> holding{0};
  std::atomic<int> retriable{0};
  const auto work = [&](int first, int second) {
    Connection connection(server().url());
    Transaction transaction(connection);
    connection.execute("UPDATE dead SET n = n + 1 WHERE id = ?", {first});
    ++holding;
    while (holding < 2) std::this_thread::yield();
    try {
      connection.execute("UPDATE dead SET n = n + 1 WHERE id = ?", {second});
      transaction.commit();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::retriable) << error.what();
      ++retriable;
      EXPECT_EQ(kind_of([&] { connection.execute("SELECT 1"); }), ErrorKind::misuse);
    }
  };
  std::thread one(work, 1, 2);
  std::thread two(work, 2, 1);
  one.join();
  two.join();
  EXPECT_EQ(retriable, 1);
}

INSTANTIATE_TEST_SUITE_P(Sql, Servers, testing::ValuesIn(servers()),
                         [](const auto& info) { return info.param->name(); });

}  // namespace
}  // namespace weft::sql::test
