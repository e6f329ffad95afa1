// SPDX-License-Identifier: Apache-2.0
// SQLite: opening, running, waiting for locks, interrupting.
#include "sql/sqlite_driver.h"

#include <weft/cancel_wait.h>

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <limits>
#include <mutex>
#include <utility>

#include "sql/errors.h"
#include "sql/sqlite_values.h"
#include "sql/text.h"

namespace weft::sql {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int steps_between_looks = 1000;  // of the virtual machine: some microseconds
constexpr std::chrono::milliseconds longest_pause{25};

}  // namespace

// While it lives, the token ends what runs.
class SqliteDriver::Running {
 public:
  Running(SqliteDriver& driver, const CancelToken& token)
      : driver_(driver), on_cancel_(prepared(driver, token), Interrupt{driver.database_.get()}) {}
  ~Running() { driver_.token_ = CancelToken(); }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

 private:
  struct Interrupt {
    sqlite3* database;
    void operator()() const noexcept { sqlite3_interrupt(database); }
  };
  static const CancelToken& prepared(SqliteDriver& driver, const CancelToken& token) {
    driver.token_ = token;
    driver.busy_until_ = Clock::now() + driver.busy_timeout_;
    return token;
  }
  SqliteDriver& driver_;
  OnCancel<Interrupt> on_cancel_;
};

SqliteDriver::SqliteDriver(const Url& url, const Options& options, const CancelToken& token)
    : is_reader_(options.access == Access::read && !url.is_in_memory()),
      busy_timeout_(options.busy_timeout),
      statements_(options.cached_statements) {
  sqlite3* database = nullptr;
  const int code = sqlite3_open_v2(
      url.database.c_str(), &database,
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE,
      nullptr);
  database_.reset(database);
  if (code != SQLITE_OK) {
    throw cannot_connect(
        url, std::to_string(code),
        std::string(database == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(database)) +
            "; look at the path and its permissions");
  }
  sqlite3_busy_handler(database, on_busy, this);
  sqlite3_progress_handler(database, steps_between_looks, on_progress, this);
  try {
    configure(url, token);
  } catch (const Error& error) {
    throw Error(error.kind() == ErrorKind::syntax ? ErrorKind::other : error.kind(), error.code(),
                "cannot open " + url.redacted() + ": " + error.what());
  }
}

void SqliteDriver::configure(const Url& url, const CancelToken& token) {
  control("PRAGMA foreign_keys = ON", token);
  control("PRAGMA trusted_schema = OFF", token);
  if (!url.is_in_memory()) {
    // The change of the journal asks no busy handler where it sees a deadlock with another process
    // that does the same; one of the two is first, and then there is nothing to change.
    const auto until = Clock::now() + busy_timeout_;
    for (int attempts = 0;; ++attempts) {
      try {
        control("PRAGMA journal_mode = WAL", token);
        break;
      } catch (const Error& error) {
        if (error.kind() != ErrorKind::retriable || Clock::now() >= until) throw;
        token_ = token;
        busy_until_ = until;
        if (on_busy(this, attempts) == 0) throw;
      }
    }
  }
  if (is_reader_) control("PRAGMA query_only = ON", token);
}

// Waits a little longer each time, and no longer than the token allows. 0: gives up.
int SqliteDriver::on_busy(void* self, int attempts) noexcept {
  const auto& driver = *static_cast<const SqliteDriver*>(self);
  const auto now = Clock::now();
  if (driver.token_.is_cancelled() || now >= driver.busy_until_) return 0;
  const auto pause = std::min(longest_pause, std::chrono::milliseconds(1 + attempts));
  try {
    std::mutex mutex;
    std::condition_variable condition;
    std::unique_lock lock(mutex);
    wait_until(condition, lock, driver.token_, std::min(now + pause, driver.busy_until_),
               [] { return false; });
  } catch (const std::exception&) {
    return 0;
  }
  return driver.token_.is_cancelled() ? 0 : 1;
}

int SqliteDriver::on_progress(void* self) noexcept {
  return static_cast<const SqliteDriver*>(self)->token_.is_cancelled() ? 1 : 0;
}

void SqliteDriver::fail(int code) const {
  const ErrorKind kind = sqlite_kind(code);
  std::string message = sqlite3_errmsg(database_.get());
  if (kind == ErrorKind::retriable) {
    message += "; another connection writes, for longer than the busy timeout";
  }
  throw Error(kind, std::to_string(code), message);
}

SqliteDriver::Prepared SqliteDriver::prepare(const std::string& statement) const {
  if (statement.size() >= static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    throw Error(ErrorKind::misuse, "", "the statement is too long");
  }
  const char* rest = nullptr;
  const auto prepare_from = [&](const char* text) {
    sqlite3_stmt* prepared = nullptr;
    const int bytes =
        static_cast<int>(statement.size() - static_cast<std::size_t>(text - statement.c_str()) + 1);
    const int code = sqlite3_prepare_v3(database_.get(), text, bytes, SQLITE_PREPARE_PERSISTENT,
                                        &prepared, &rest);
    if (code != SQLITE_OK) fail(code);
    return Prepared(prepared);
  };
  Prepared prepared = prepare_from(statement.c_str());
  if (prepared == nullptr) throw Error(ErrorKind::syntax, "", "the statement is empty");
  // Comments and white space may follow.
  while (*rest != '\0') {
    const char* const from = rest;
    if (prepare_from(from) != nullptr || rest == from) {
      throw Error(ErrorKind::misuse, "", "there is more than one statement; pass them one by one");
    }
  }
  return prepared;
}

Rows SqliteDriver::execute(const std::string& statement, std::span<const Value> parameters,
                           const CancelToken& token) {
  const Running running(*this, token);
  Prepared* prepared = statements_.find(statement);
  if (prepared == nullptr) {
    statements_.make_room();
    prepared = &statements_.add(statement, prepare(statement));
  }
  return run(**prepared, parameters);
}

Rows SqliteDriver::run(sqlite3_stmt& statement, std::span<const Value> parameters) {
  // Its locks and the caller's values go with the statement, however it ends.
  const auto reset = [](sqlite3_stmt* used) {
    sqlite3_reset(used);
    sqlite3_clear_bindings(used);
  };
  const std::unique_ptr<sqlite3_stmt, decltype(reset)> in_use(&statement, reset);
  check_count(static_cast<std::size_t>(sqlite3_bind_parameter_count(&statement)),
              parameters.size());
  for (std::size_t index = 0; index < parameters.size(); ++index) {
    const int code = bind(statement, static_cast<int>(index + 1), parameters[index]);
    if (code != SQLITE_OK) fail(code);
  }
  Rows rows;
  const sqlite3_int64 changes_before = sqlite3_total_changes64(database_.get());
  int code = sqlite3_step(&statement);
  // Not before the first step, which prepares anew where the schema has changed.
  const int columns = sqlite3_column_count(&statement);
  for (int column = 0; column < columns; ++column) {
    rows.columns.emplace_back(sqlite3_column_name(&statement, column));
  }
  for (; code == SQLITE_ROW; code = sqlite3_step(&statement)) {
    rows.rows.push_back(row_of(statement, columns));
  }
  if (code == SQLITE_ERROR) {  // the text was right, or there would be nothing to run
    throw Error(ErrorKind::other, std::to_string(code), sqlite3_errmsg(database_.get()));
  }
  if (code != SQLITE_DONE) fail(code);
  // changes() is of the latest statement that changed anything, which need not be this one.
  if (sqlite3_total_changes64(database_.get()) != changes_before) {
    rows.affected = static_cast<std::uint64_t>(sqlite3_changes64(database_.get()));
  }
  return rows;
}

void SqliteDriver::control(const char* statement, const CancelToken& token) {
  const Running running(*this, token);
  const int code = sqlite3_exec(database_.get(), statement, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code);
}

const char* SqliteDriver::begin_statement() const noexcept {
  // A reader that becomes a writer halfway may have to be refused; so writers say it at once.
  return is_reader_ ? "BEGIN" : "BEGIN IMMEDIATE";
}

bool SqliteDriver::is_in_transaction() const noexcept {
  return sqlite3_get_autocommit(database_.get()) == 0;
}

std::unique_ptr<Driver> open_sqlite(const Url& url, const Options& options,
                                    const CancelToken& token) {
  return std::make_unique<SqliteDriver>(url, options, token);
}

}  // namespace weft::sql
