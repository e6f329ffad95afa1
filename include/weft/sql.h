// SPDX-License-Identifier: Apache-2.0
// weft::sql::Connection: one conversation with SQLite, PostgreSQL or MariaDB, chosen by a URL, that
// ends its statements when the work is cancelled.
//
//   weft::sql::Connection connection(weft::sql::Url::parse("postgresql://me:secret@db/shop"));
//   const auto rows = connection.execute("SELECT name FROM item WHERE id = ?", {17});
//   if (!rows.empty()) greet(rows[0].text(0));
//
// Concepts
//   statement    one statement of SQL with `?` where values go. The values are always bound, never
//                written into the text; the text must be the program's own. Prepared once, and
//                kept.
//   value        null, a 64-bit integer, a double, text (UTF-8 without NUL bytes; anything else is
//                refused before it is sent) or a blob.
//   broken       a connection that is not to be used again: it was lost, or nobody can tell whether
//                a cancel is still on its way to it.
//   recovering   a connection whose statement was left behind when it was cancelled: the server may
//                still work on it. The next statement waits until that is over.
//   transaction  BEGIN to COMMIT, as an object. Any error within it fails it; only its rollback is
//                left. There is none within another.
//
// Calls block their thread. Pools, fibers (this_fiber::at_home is the caller's to take) and plain
// threads call directly, coroutines by weft::offload(). One thread at a time.
//
// Each call is bounded by weft::cancellation(): when that is cancelled, the driver's own cancel is
// sent, and the call throws weft::Cancelled with the reason. A statement that ends before it is
// cancelled gives its rows. With PostgreSQL the call comes back at once, and the cancel is sent
// after it; with SQLite when the statement has ended; with MariaDB likewise, or when
// Options::cancel_patience is over. A server that does not react within Options::cancel_grace loses
// the connection. What was cancelled outside a transaction may have been done all the same: the
// call may have come back before the server knew.
//
// Invariants
//   - A cancel never reaches a later statement: before a connection is used again, the cancel was
//     either not sent, or its sending has ended and an empty statement has taken what was left of
//     it; otherwise the connection is broken.
//   - No message and no exception contains a password or the value of a parameter.
//
// Rejected: the drivers' asynchronous interfaces on our own event loop. libpq has one, libmariadb
// switches stacks for it, SQLite has none; one blocking interface on threads that are meant to
// block is the same for all three, and they are as many as the budget allows.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace weft::sql {

enum class Dialect : std::uint8_t { sqlite, postgresql, mariadb };
// "sqlite", "postgresql", "mariadb": the schemes of their URLs.
const char* to_string(Dialect dialect) noexcept;

enum class ErrorKind : std::uint8_t {
  unavailable,  // the database cannot be reached, or ends; another try later may do
  conflict,     // there is a row with this key already
  constraint,   // another rule of the schema forbids it
  cancelled,    // by somebody else: an administrator, a limit of the server
  timeout,      // longer than Options::longest_statement, or than the server allows
  retriable,    // a deadlock, a serialization failure, a lock not had: the transaction may be
                // repeated
  syntax,       // the statement is wrong, or names what is not there
  misuse,       // the caller is wrong: parameters, nested transactions, text that is not UTF-8
  other,
};
const char* to_string(ErrorKind kind) noexcept;

class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, std::string code, const std::string& message)
      : std::runtime_error(message), kind_(kind), code_(std::move(code)) {}
  ErrorKind kind() const noexcept { return kind_; }
  // The driver's: a SQLSTATE of PostgreSQL, a number of MariaDB or SQLite; empty where it is ours.
  const std::string& code() const noexcept { return code_; }

 private:
  ErrorKind kind_;
  std::string code_;
};

// Where a database is: `sqlite:PATH`, `sqlite::memory:`,
// `postgresql://user:password@host:port/database?…`,
// `mariadb://user:password@host:port/database?…`. Everything but the structure may be
// percent-encoded. Parameters, each once:
//   postgresql  host (a directory with a Unix socket), sslmode, sslrootcert, sslcert, sslkey,
//               application_name, target_session_attrs: as libpq has them
//   mariadb     socket (its path), ssl_ca (a file: the server must show a certificate of these)
struct Url {
  Dialect dialect = Dialect::sqlite;
  std::string user;
  std::string password;
  std::string host;        // empty: the Unix socket of a parameter, or the driver's default
  std::uint16_t port = 0;  // 0: the driver's default
  std::string database;    // of SQLite the path; ":memory:" is a database of the connection's own
  std::vector<std::pair<std::string, std::string>> parameters;

  // Throws Error(misuse), which says what is wrong with which part, and shows no password.
  static Url parse(std::string_view text);
  // For people: the password, where there is one, is "***".
  std::string redacted() const;
  // The value of a parameter, or nothing.
  const std::string* parameter(std::string_view name) const noexcept;
  bool is_in_memory() const noexcept {
    return dialect == Dialect::sqlite && database == ":memory:";
  }
};

using Blob = std::vector<std::byte>;
// Numbers beyond 64 bits and decimals are text, booleans are 0 and 1, times are the server's text.
using Value = std::variant<std::monostate, std::int64_t, double, std::string, Blob>;

class Row {
 public:
  Row() = default;
  explicit Row(std::vector<Value> values) : values_(std::move(values)) {}
  std::size_t size() const noexcept { return values_.size(); }
  // These throw Error(misuse) where there is no such column, or it holds something else.
  const Value& at(std::size_t column) const;
  bool is_null(std::size_t column) const;
  std::int64_t integer(std::size_t column) const;
  double real(std::size_t column) const;  // of an integer, too
  const std::string& text(std::size_t column) const;
  const Blob& blob(std::size_t column) const;

 private:
  std::vector<Value> values_;
};

// All that a statement gave. It is in memory as a whole: statements say LIMIT.
struct Rows {
  std::vector<std::string> columns;
  std::vector<Row> rows;
  // Rows that INSERT, UPDATE or DELETE changed; with RETURNING, MariaDB tells by the rows alone.
  std::uint64_t affected = 0;

  bool empty() const noexcept { return rows.empty(); }
  std::size_t size() const noexcept { return rows.size(); }
  const Row& operator[](std::size_t index) const { return rows.at(index); }
  auto begin() const noexcept { return rows.begin(); }
  auto end() const noexcept { return rows.end(); }
};

enum class Access : std::uint8_t {
  write,
  read,  // a promise; SQLite holds the caller to it, and has many readers beside one writer
};

struct Options {
  Access access = Access::write;
  // For connecting; the deadline of the work counts, too. MariaDB rounds it up to seconds and knows
  // no other cancel; names are looked up by the C library, which knows none at all. A pool's leases
  // do not wait for either.
  std::chrono::milliseconds connect_timeout = std::chrono::seconds(5);
  std::chrono::milliseconds longest_statement{0};  // 0: as long as the work may take
  // SQLite: how long to wait for a lock that another process holds.
  std::chrono::milliseconds busy_timeout = std::chrono::seconds(5);
  // From a cancel to the loss of the connection, where the server does not react to it; and how
  // long a rollback may take.
  std::chrono::milliseconds cancel_grace = std::chrono::seconds(1);
  // MariaDB, whose client can not be called away from a statement: the same for who waits for it.
  // What is further away than this loses its connection with each cancel.
  std::chrono::milliseconds cancel_patience{5};
  std::size_t cached_statements = 64;
};

struct StatementCounters {
  std::uint64_t statements = 0;
  std::uint64_t failures = 0;  // those that were cancelled are not among them
  std::uint64_t cancels = 0;
};

class Driver;
class Helpers;
class Transaction;

class Connection {
 public:
  // Throws Error, or Cancelled.
  // With helpers, its cancels are sent by these; without, by a thread of its own, once there is one
  // to send.
  explicit Connection(const Url& url, const Options& options = {},
                      std::shared_ptr<Helpers> helpers = nullptr);
  ~Connection();
  Connection(Connection&&) = delete;

  // Throws Error, or Cancelled.
  Rows execute(std::string_view statement, std::span<const Value> parameters);
  Rows execute(std::string_view statement, std::initializer_list<Value> parameters = {}) {
    return execute(statement, std::span<const Value>(parameters.begin(), parameters.size()));
  }

  Dialect dialect() const noexcept { return dialect_; }
  // Not while it recovers: how that ends is not known before.
  bool is_broken() const noexcept;
  bool is_recovering() const noexcept;
  // Calls it, once, when it recovers no more; on a thread of the helpers, and it must not go
  // before. False: it does not recover, and nothing is called.
  bool when_recovered(std::function<void()> function);
  // From now on it is broken: for those who cannot bring it back to where it was.
  void discard() noexcept { is_discarded_ = true; }
  // In no transaction, and nothing has come that nobody asked for, such as a goodbye.
  bool is_fresh() noexcept;
  // Since the last time that they were taken.
  StatementCounters take_counters() noexcept { return std::exchange(counters_, {}); }

 private:
  friend class Transaction;
  enum class Phase : std::uint8_t { none, open, failed };

  template <class Call>
  auto within_limits(Call call);
  void begin();
  void commit();
  void roll_back() noexcept;

  const Dialect dialect_;
  const Options options_;
  std::unique_ptr<Driver> driver_;
  Phase transaction_ = Phase::none;
  bool is_discarded_ = false;
  StatementCounters counters_;
};

// Rolls back when it goes, unless it was committed.
class [[nodiscard]] Transaction {
 public:
  // Throws Error(misuse) within another.
  explicit Transaction(Connection& connection);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  // Throws Error or Cancelled. When it was cancelled or the connection was lost on the way, nobody
  // can tell whether it was done; after any other error it was not.
  void commit();
  void rollback() noexcept;

 private:
  Connection& connection_;
  bool is_open_ = true;
};

}  // namespace weft::sql
