// SPDX-License-Identifier: Apache-2.0
// Applies migrations, one transaction each, under a lock of the database.
#include <weft/cancel.h>
#include <weft/sql_migrations.h>

#include <chrono>
#include <exception>
#include <string>

#include "sql/migration_plan.h"

namespace weft::sql {
namespace {

constexpr const char* create_table =
    "CREATE TABLE IF NOT EXISTS weft_migrations (number BIGINT PRIMARY KEY, name VARCHAR(200) NOT "
    "NULL, checksum VARCHAR(16) NOT NULL, finished BIGINT NOT NULL)";

// Held by one session of a database at a time. SQLite's is the transaction itself, which begins
// with the right to write.
class SessionLock {
 public:
  explicit SessionLock(Connection& connection) : connection_(connection) {
    try {
      take();
    } catch (...) {
      connection_.discard();  // what was cancelled may have had it already
      throw;
    }
  }
  ~SessionLock() {
    if (connection_.dialect() == Dialect::sqlite) return;
    try {
      // The work may be cancelled by now; this is still to be done.
      const CancelScope limit(std::chrono::steady_clock::now() + longest_release, CancelToken());
      if (connection_.dialect() == Dialect::postgresql) {
        connection_.execute("SELECT pg_advisory_unlock(?)", {postgresql_key});
      } else {
        connection_.execute("SELECT RELEASE_LOCK(" + mariadb_name + ")");
      }
    } catch (const std::exception&) {
      connection_.discard();  // the lock goes with the session
    }
  }
  SessionLock(const SessionLock&) = delete;
  SessionLock& operator=(const SessionLock&) = delete;

 private:
  void take() {
    if (connection_.dialect() == Dialect::postgresql) {
      connection_.execute("SELECT pg_advisory_lock(?)", {postgresql_key});
    } else if (connection_.dialect() == Dialect::mariadb) {
      // Longer than any deadline; names are of the whole server.
      const Rows rows = connection_.execute("SELECT GET_LOCK(" + mariadb_name + ", 86400)");
      if (rows.empty() || rows[0].is_null(0) || rows[0].integer(0) != 1) {
        throw Error(ErrorKind::retriable, "", "the lock for migrations was not to be had");
      }
    }
  }

  static constexpr std::chrono::seconds longest_release{5};
  static constexpr std::int64_t postgresql_key = 0x776566742d73716c;  // "weft-sql"
  const std::string mariadb_name = "CONCAT('weft.', SHA1(DATABASE()))";
  Connection& connection_;
};

std::vector<AppliedMigration> applied_to(Connection& connection) {
  std::vector<AppliedMigration> applied;
  for (const Row& row : connection.execute(
           "SELECT number, name, checksum, finished FROM weft_migrations ORDER BY number")) {
    applied.push_back({row.integer(0), row.text(1), row.text(2), row.integer(3) != 0});
  }
  return applied;
}

void apply(Connection& connection, const Migration& migration) {
  connection.execute(
      "INSERT INTO weft_migrations (number, name, checksum, finished) VALUES (?, ?, ?, 0)",
      {std::int64_t{migration.number}, migration.name,
       checksum_of(migration, connection.dialect())});
  const std::vector<std::string>& statements = migration.statements_for(connection.dialect());
  for (std::size_t index = 0; index < statements.size(); ++index) {
    try {
      connection.execute(statements[index]);
    } catch (const Error& error) {
      throw Error(error.kind(), error.code(),
                  "migration " + std::to_string(migration.number) + " '" + migration.name +
                      "', statement " + std::to_string(index + 1) + ": " + error.what());
    }
  }
  connection.execute("UPDATE weft_migrations SET finished = 1 WHERE number = ?",
                     {std::int64_t{migration.number}});
}

// False: there is nothing left to do.
bool apply_next(Connection& connection, std::span<const Migration> migrations) {
  Transaction transaction(connection);
  const Migration* const next =
      next_migration(migrations, applied_to(connection), connection.dialect());
  if (next == nullptr) return false;
  apply(connection, *next);
  transaction.commit();
  return true;
}

}  // namespace

std::size_t migrate(Connection& connection, std::span<const Migration> migrations) {
  const SessionLock lock(connection);
  {
    Transaction transaction(connection);
    connection.execute(create_table);
    transaction.commit();
  }
  std::size_t applied = 0;
  while (apply_next(connection, migrations)) ++applied;
  return applied;
}

}  // namespace weft::sql
