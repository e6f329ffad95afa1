// SPDX-License-Identifier: Apache-2.0
// Migrations are applied once, whoever starts, and errors of the list are found on every database.
#include <weft/sql_migrations.h>

#include <atomic>
#include <latch>
#include <thread>
#include <vector>

#include "tests/sql/contract.h"

namespace weft::sql::test {
namespace {

class Migrations : public ContractTest {
 protected:
  void SetUp() override {
    Connection connection(url());
    for (const char* const table : {"weft_migrations", "note", "tag"}) {
      connection.execute("DROP TABLE IF EXISTS " + std::string(table));
    }
  }
  std::vector<Migration> list() const {
    return {{.number = 1,
             .name = "notes",
             .statements = {"CREATE TABLE note (id BIGINT PRIMARY KEY)",
                            "INSERT INTO note VALUES (1)"}},
            {.number = 2,
             .name = "bodies",
             .statements = {"ALTER TABLE note ADD COLUMN body BLOB"},
             .postgresql = {"ALTER TABLE note ADD COLUMN body BYTEA"}}};
  }
};

TEST_P(Migrations, AreAppliedOnce) {
  Connection connection(url());
  EXPECT_EQ(migrate(connection, list()), 2U);
  EXPECT_EQ(migrate(connection, list()), 0U);
  EXPECT_EQ(count("note"), 1);
  EXPECT_EQ(connection.execute("SELECT body FROM note").size(), 1U);
  std::vector<Migration> longer = list();
  longer.push_back({.number = 3, .name = "tags", .statements = {"CREATE TABLE tag (id BIGINT)"}});
  EXPECT_EQ(migrate(connection, longer), 1U);
  EXPECT_EQ(count("weft_migrations"), 3);
  EXPECT_FALSE(connection.is_broken());
}

TEST_P(Migrations, ThatHaveChangedAreAnError) {
  Connection connection(url());
  migrate(connection, list());
  std::vector<Migration> changed = list();
  changed[0].statements[1] = "INSERT INTO note VALUES (2)";
  std::string message;
  EXPECT_EQ(kind_of([&] { migrate(connection, changed); }, &message), ErrorKind::other);
  EXPECT_NE(message.find("migration 1 'notes'"), std::string::npos) << message;
  EXPECT_EQ(count("note"), 1);
}

TEST_P(Migrations, OfANewerProgramAreAnError) {
  Connection connection(url());
  migrate(connection, list());
  std::vector<Migration> older = list();
  older.pop_back();
  std::string message;
  EXPECT_EQ(kind_of([&] { migrate(connection, older); }, &message), ErrorKind::other);
  EXPECT_NE(message.find("newer than this program"), std::string::npos) << message;
}

TEST_P(Migrations, ThatFailAreUndoneOrSaySo) {
  Connection connection(url());
  std::vector<Migration> wrong = list();
  wrong[1].statements = {"CREATE TABLE tag (id BIGINT)", "SELEKT 1"};
  wrong[1].postgresql = wrong[1].statements;
  std::string message;
  EXPECT_EQ(kind_of([&] { migrate(connection, wrong); }, &message), ErrorKind::syntax);
  EXPECT_NE(message.find("migration 2 'bodies', statement 2"), std::string::npos) << message;
  if (connection.dialect() == Dialect::mariadb) {
    EXPECT_EQ(kind_of([&] { migrate(connection, list()); }, &message), ErrorKind::other);
    EXPECT_NE(message.find("was begun and did not end"), std::string::npos) << message;
  } else {
    EXPECT_EQ(migrate(connection, list()), 1U);
    connection.execute("CREATE TABLE tag (id BIGINT)");  // it was not left behind
  }
}

TEST_P(Migrations, AreAppliedByOneOfAllWhoStartAtOnce) {
  constexpr int starters = 4;
  constexpr int rounds = 5;
  for (int round = 0; round < rounds; ++round) {
    SetUp();
    std::latch ready(starters);
    std::atomic<std::size_t> applied{0};
    std::vector<std::thread> threads;
    threads.reserve(starters);
    for (int number = 0; number < starters; ++number) {
      threads.emplace_back([&] {
        Connection connection(url());
        ready.arrive_and_wait();
        try {
          applied += migrate(connection, list());
        } catch (const std::exception& thrown) {
          ADD_FAILURE() << thrown.what();
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(applied, 2U);
    EXPECT_EQ(count("note"), 1);
  }
}

INSTANTIATE_TEST_SUITE_P(Sql, Migrations, testing::ValuesIn(backends()), name_of);

}  // namespace
}  // namespace weft::sql::test
