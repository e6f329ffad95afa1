// SPDX-License-Identifier: Apache-2.0
// SqliteDriver: a SQLite database in this process.
//
// A file is kept with a write-ahead log, so that readers and the one writer do not wait for each
// other. Locks of other processes are waited for until the busy timeout, or the token, has passed.
//
// A cancel calls sqlite3_interrupt(), which SQLite forgets when no statement runs: so it reaches no
// later one. What comes before the first step would be lost, and is found by the progress handler.
#pragma once

#include <sqlite3.h>

#include <chrono>
#include <memory>
#include <string>

#include "sql/driver.h"
#include "sql/statement_cache.h"

namespace weft::sql {

class SqliteDriver final : public Driver {
 public:
  SqliteDriver(const Url& url, const Options& options, const CancelToken& token);

  Rows execute(const std::string& statement, std::span<const Value> parameters,
               const CancelToken& token) override;
  void control(const char* statement, const CancelToken& token) override;
  const char* begin_statement() const noexcept override;
  bool is_in_transaction() const noexcept override;
  bool is_broken() const noexcept override { return false; }
  bool has_hung_up() const noexcept override { return false; }

 private:
  struct CloseDatabase {
    void operator()(sqlite3* database) const noexcept { sqlite3_close_v2(database); }
  };
  struct CloseStatement {
    void operator()(sqlite3_stmt* statement) const noexcept { sqlite3_finalize(statement); }
  };
  using Prepared = std::unique_ptr<sqlite3_stmt, CloseStatement>;
  class Running;

  Prepared prepare(const std::string& statement) const;
  Rows run(sqlite3_stmt& statement, std::span<const Value> parameters);
  void configure(const Url& url, const CancelToken& token);
  [[noreturn]] void fail(int code) const;
  static int on_busy(void* self, int attempts) noexcept;
  static int on_progress(void* self) noexcept;

  const bool is_reader_;
  const std::chrono::milliseconds busy_timeout_;
  std::unique_ptr<sqlite3, CloseDatabase> database_;
  StatementCache<Prepared> statements_;  // goes before the database
  // Of the statement that runs.
  CancelToken token_;
  std::chrono::steady_clock::time_point busy_until_;
};

}  // namespace weft::sql
