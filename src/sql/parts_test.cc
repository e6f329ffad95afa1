// SPDX-License-Identifier: Apache-2.0
// The pure parts that are too small for a test file each: codes, pauses, cache, migration plans.
#include <gtest/gtest.h>

#include <mysqld_error.h>
#include <sqlite3.h>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "sql/backoff.h"
#include "sql/errors.h"
#include "sql/migration_plan.h"
#include "sql/postgresql_values.h"
#include "sql/statement_cache.h"

namespace weft::sql {
namespace {

using namespace std::chrono_literals;

TEST(Codes, HaveKinds) {
  EXPECT_EQ(sqlite_kind(SQLITE_CONSTRAINT_PRIMARYKEY), ErrorKind::conflict);
  EXPECT_EQ(sqlite_kind(SQLITE_CONSTRAINT_NOTNULL), ErrorKind::constraint);
  EXPECT_EQ(sqlite_kind(SQLITE_BUSY_SNAPSHOT), ErrorKind::retriable);
  EXPECT_EQ(sqlite_kind(SQLITE_IOERR_READ), ErrorKind::unavailable);
  EXPECT_EQ(postgresql_kind("23505"), ErrorKind::conflict);
  EXPECT_EQ(postgresql_kind("23502"), ErrorKind::constraint);
  EXPECT_EQ(postgresql_kind("40001"), ErrorKind::retriable);
  EXPECT_EQ(postgresql_kind("57P01"), ErrorKind::unavailable);
  EXPECT_EQ(postgresql_kind("57014"), ErrorKind::cancelled);
  EXPECT_EQ(postgresql_kind(""), ErrorKind::unavailable);
  EXPECT_EQ(postgresql_kind("22012"), ErrorKind::other);
  EXPECT_EQ(mariadb_kind(ER_DUP_ENTRY), ErrorKind::conflict);
  EXPECT_EQ(mariadb_kind(ER_LOCK_DEADLOCK), ErrorKind::retriable);
  EXPECT_EQ(mariadb_kind(2013), ErrorKind::unavailable);
  EXPECT_EQ(mariadb_kind(5014), ErrorKind::unavailable);
  EXPECT_EQ(mariadb_kind(1), ErrorKind::other);
  EXPECT_TRUE(postgresql_quotes_values("22P02"));
  EXPECT_FALSE(postgresql_quotes_values("42601"));
}

TEST(Pauses, DoubleUpToTheLongest) {
  EXPECT_EQ(pause_after(0, 100ms, 1s, 0), 0ns);
  EXPECT_EQ(pause_after(1, 100ms, 1s, 0), 100ms);
  EXPECT_EQ(pause_after(3, 100ms, 1s, 0), 400ms);
  EXPECT_EQ(pause_after(5, 100ms, 1s, 0), 1s);
  EXPECT_EQ(pause_after(4'000'000'000, 100ms, 1s, 0), 1s);
  EXPECT_EQ(pause_after(1, 2s, 1s, 0), 1s);
  EXPECT_EQ(pause_after(3, 100ms, 1s, 1), 200ms);
  EXPECT_EQ(pause_after(3, 100ms, 1s, 0.5), 300ms);
}

TEST(StatementCache, KeepsTheLatest) {
  StatementCache<std::unique_ptr<int>> cache(2);
  EXPECT_EQ(cache.make_room(), std::nullopt);
  cache.add("one", std::make_unique<int>(1));
  cache.add("two", std::make_unique<int>(2));
  ASSERT_NE(cache.find("one"), nullptr);
  const auto oldest = cache.make_room();
  ASSERT_TRUE(oldest.has_value());
  EXPECT_EQ(**oldest, 2);
  cache.add("three", std::make_unique<int>(3));
  EXPECT_EQ(cache.find("two"), nullptr);
  EXPECT_EQ(**cache.remove("one"), 1);
  EXPECT_EQ(cache.remove("one"), std::nullopt);
  EXPECT_EQ(cache.size(), 1U);
}

TEST(PostgresqlValues, AreReadFromTheirText) {
  EXPECT_EQ(value_of(20, "-9223372036854775808"), Value(std::numeric_limits<std::int64_t>::min()));
  EXPECT_EQ(value_of(16, "t"), Value(1));
  EXPECT_EQ(value_of(701, "-Infinity"), Value(-std::numeric_limits<double>::infinity()));
  EXPECT_EQ(value_of(701, "0.1"), Value(0.1));
  EXPECT_EQ(value_of(17, "\\x00ff"), Value(Blob{std::byte{0}, std::byte{255}}));
  EXPECT_EQ(value_of(17, "\\x"), Value(Blob()));
  EXPECT_EQ(value_of(1700, "1.50"), Value("1.50"));
}

std::vector<Migration> three() {
  return {{.number = 1, .name = "a", .statements = {"A"}},
          {.number = 2, .name = "b", .statements = {"B"}, .postgresql = {"P"}},
          {.number = 3, .name = "c", .statements = {"C"}}};
}

std::vector<AppliedMigration> applied(const std::vector<Migration>& list, std::size_t count,
                                      Dialect dialect = Dialect::sqlite) {
  std::vector<AppliedMigration> done;
  for (std::size_t index = 0; index < count; ++index) {
    done.push_back({list[index].number, list[index].name, checksum_of(list[index], dialect), true});
  }
  return done;
}

std::string refusal_of(const std::vector<Migration>& list,
                       const std::vector<AppliedMigration>& done) {
  try {
    next_migration(list, done, Dialect::sqlite);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST(MigrationPlan, GoesOnWhereTheDatabaseIs) {
  const auto list = three();
  EXPECT_EQ(next_migration(list, applied(list, 0), Dialect::sqlite), &list[0]);
  EXPECT_EQ(next_migration(list, applied(list, 2), Dialect::sqlite), &list[2]);
  EXPECT_EQ(next_migration(list, applied(list, 3), Dialect::sqlite), nullptr);
  EXPECT_EQ(next_migration({}, {}, Dialect::sqlite), nullptr);
}

TEST(MigrationPlan, RefusesWhatDoesNotFit) {
  const auto list = three();
  auto done = applied(list, 2);
  done[0].checksum = "0";
  EXPECT_NE(refusal_of(list, done).find("migration 1 'a' is not what was applied"),
            std::string::npos);
  done = applied(list, 2);
  done[1].is_finished = false;
  EXPECT_NE(refusal_of(list, done).find("was begun and did not end"), std::string::npos);
  done = applied(list, 3);
  done.erase(done.begin());
  EXPECT_NE(refusal_of(list, done).find("no row for migration 1"), std::string::npos);
  EXPECT_NE(refusal_of({list[0]}, applied(list, 2)).find("newer than this program"),
            std::string::npos);
  EXPECT_NE(refusal_of({list[1]}, {}).find("without a gap"), std::string::npos);
  EXPECT_NE(refusal_of({{.number = 1, .name = "x", .statements = {}}}, {}).find("no statements"),
            std::string::npos);
}

TEST(MigrationPlan, ChecksumsAreOfTheStatementsOfTheDialect) {
  const auto list = three();
  EXPECT_NE(checksum_of(list[1], Dialect::postgresql), checksum_of(list[1], Dialect::sqlite));
  EXPECT_EQ(checksum_of(list[0], Dialect::postgresql), checksum_of(list[0], Dialect::sqlite));
  EXPECT_NE(checksum_of({.number = 1, .name = "", .statements = {"AB"}}, Dialect::sqlite),
            checksum_of({.number = 1, .name = "", .statements = {"A", "B"}}, Dialect::sqlite));
  EXPECT_EQ(checksum_of(list[0], Dialect::sqlite).size(), 16U);
}

}  // namespace
}  // namespace weft::sql
