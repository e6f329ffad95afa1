// SPDX-License-Identifier: Apache-2.0
// Cancels end statements, say why, and reach no other statement.
#include <atomic>
#include <optional>
#include <random>
#include <thread>

#include "tests/sql/contract.h"

namespace weft::sql::test {
namespace {

using namespace std::chrono_literals;

class Cancels : public ContractTest {};

constexpr auto long_time = 60s;  // the statements would take ten times as long

TEST_P(Cancels, EndAStatementAtItsDeadline) {
  Connection connection(url(), patient());
  const auto began = Clock::now();
  EXPECT_EQ(reason_of([&] {
              const CancelScope scope(Clock::now() + 100ms);
              connection.execute(backend().statement_that_takes(600));
            }),
            CancelReason::deadline);
  EXPECT_LT(Clock::now() - began, long_time);
  EXPECT_FALSE(connection.is_broken());
  EXPECT_EQ(connection.execute("SELECT 1")[0].integer(0), 1);
  EXPECT_EQ(connection.take_counters().cancels, 1U);
}

TEST_P(Cancels, EndAStatementOfAClientThatHasGone) {
  Connection connection(url());
  CancelScope scope;
  std::thread client([&] {
    std::this_thread::sleep_for(50ms);  // so that it is under way, mostly
    scope.cancel(CancelReason::client);
  });
  const auto began = Clock::now();
  EXPECT_EQ(reason_of([&] { connection.execute(backend().statement_that_takes(600)); }),
            CancelReason::client);
  client.join();
  EXPECT_LT(Clock::now() - began, long_time);
}

TEST_P(Cancels, OfBeforeLetNothingBegin) {
  make_table("untouched", "id BIGINT");
  Connection connection(url());
  {
    CancelScope scope;
    scope.cancel(CancelReason::shutdown);
    EXPECT_EQ(reason_of([&] { connection.execute("INSERT INTO untouched VALUES (1)"); }),
              CancelReason::shutdown);
    EXPECT_EQ(reason_of([&] { const Connection late(url()); }), CancelReason::shutdown);
  }
  EXPECT_EQ(count("untouched"), 0);
}

TEST_P(Cancels, RollATransactionBack) {
  make_table("undone", "id BIGINT");
  Connection connection(url(), patient());
  EXPECT_EQ(reason_of([&] {
              const CancelScope scope(Clock::now() + 100ms);
              Transaction transaction(connection);
              connection.execute("INSERT INTO undone VALUES (1)");
              connection.execute(backend().statement_that_takes(600));
              transaction.commit();
            }),
            CancelReason::deadline);
  EXPECT_EQ(count("undone"), 0);
  ASSERT_FALSE(connection.is_broken());
  Transaction next(connection);
  connection.execute("INSERT INTO undone VALUES (2)");
  next.commit();
  EXPECT_EQ(count("undone"), 1);
}

// Whether or not the caller has waited for its end: nothing of it is left on the server.
TEST_P(Cancels, AreRolledBackBeforeTheNextStatement) {
  make_table("left_open", "id BIGINT");
  Connection connection(url(), patient());
  for (int round = 0; round < 20; ++round) {
    EXPECT_EQ(reason_of([&] {
                const CancelScope scope(Clock::now() + 5ms);
                Transaction transaction(connection);
                connection.execute("INSERT INTO left_open VALUES (1)");
                connection.execute(backend().statement_that_takes(600));
              }),
              CancelReason::deadline);
    ASSERT_FALSE(connection.is_broken());
    EXPECT_EQ(connection.execute("SELECT COUNT(*) FROM left_open")[0].integer(0), 0);
  }
}

TEST_P(Cancels, EndTheWaitForALock) {
  make_table("locked", "id BIGINT PRIMARY KEY, n BIGINT");
  Connection holder(url());
  holder.execute("INSERT INTO locked VALUES (1, 0)");
  Transaction holding(holder);
  holder.execute("UPDATE locked SET n = 1 WHERE id = 1");
  Connection waiting(url(), patient());
  EXPECT_EQ(reason_of([&] {
              const CancelScope scope(Clock::now() + 100ms);
              waiting.execute("UPDATE locked SET n = 2 WHERE id = 1");
            }),
            CancelReason::deadline);
  EXPECT_EQ(waiting.execute("SELECT 1")[0].integer(0), 1);  // it has ended on the server, too
  holding.commit();
  waiting.execute("UPDATE locked SET n = n + 10 WHERE id = 1");
  EXPECT_EQ(waiting.execute("SELECT n FROM locked")[0].integer(0), 11);
}

TEST_P(Cancels, OfAConnectionsOwnLimitAreTimeouts) {
  Options options = patient();
  options.longest_statement = 100ms;
  Connection connection(url(), options);
  std::string message;
  EXPECT_EQ(kind_of([&] { connection.execute(backend().statement_that_takes(600)); }, &message),
            ErrorKind::timeout);
  EXPECT_NE(message.find("100 ms"), std::string::npos) << message;
  EXPECT_EQ(connection.execute("SELECT 1")[0].integer(0), 1);
}

// How long it takes here and now.
std::chrono::microseconds time_of(Connection& connection, const std::string& statement) {
  constexpr int times = 5;
  connection.execute(statement);
  const auto began = Clock::now();
  for (int time = 0; time < times; ++time) connection.execute(statement);
  return std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - began) / times;
}

// Cancels come at every moment of a short statement, and after it, too. The next statement on the
// connection is never hit.
TEST_P(Cancels, NeverReachTheNextStatement) {
  constexpr int rounds = 300;
  std::minstd_rand random(4711);
  std::optional<Connection> connection(std::in_place, url(), patient());
  int cancelled = 0;
  int completed = 0;
  int connected = 0;
  const std::string statement = backend().statement_that_takes(0.001);
  const auto longest_pause = static_cast<unsigned>(2 * time_of(*connection, statement).count() + 1);
  // Some take longer, or on a busy machine no cancel would come in time.
  const std::string long_statement = backend().statement_that_takes(0.1);
  for (int round = 0; round < rounds; ++round) {
    const bool is_long = round % 10 == 0;
    if (connection->is_broken()) {
      connection.emplace(url(), patient());
      ++connected;
    }
    CancelSource source;
    std::atomic<bool> begins{false};
    const auto pause = std::chrono::microseconds(random() % longest_pause);
    std::thread canceller([&] {
      while (!begins) std::this_thread::yield();
      std::this_thread::sleep_for(pause);
      source.cancel(CancelReason::client);
    });
    {
      const auto guard = set_cancellation(source.token());
      begins = true;
      const CancelReason reason =
          reason_of([&] { connection->execute(is_long ? long_statement : statement); });
      (reason == CancelReason::client ? cancelled : completed) += 1;
    }
    if (!connection->is_broken()) {
      try {
        EXPECT_EQ(connection->execute("SELECT 17 WHERE 1 = ?", {1})[0].integer(0), 17);
        connection->execute(statement);
      } catch (const std::exception& hit) {
        ADD_FAILURE() << "round " << round << ": " << hit.what();
      }
    }
    canceller.join();
  }
  EXPECT_GT(cancelled, 0);
  EXPECT_GT(completed, 0);
  EXPECT_LT(connected, rounds / 10);  // a cancel is no reason to lose a connection
}

INSTANTIATE_TEST_SUITE_P(Sql, Cancels, testing::ValuesIn(backends()), name_of);

}  // namespace
}  // namespace weft::sql::test
