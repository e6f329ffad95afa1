// SPDX-License-Identifier: Apache-2.0
// MariaDB: statements, their preparation, and their cancellation.
#include "sql/mariadb_driver.h"

#include <errmsg.h>

#include <utility>

#include "sql/errors.h"
#include "sql/mariadb_connect.h"
#include "sql/mariadb_values.h"
#include "sql/text.h"

namespace weft::sql {
namespace {

// KILL QUERY on a connection of its own: the answer to it says that the session has been told. The
// numbers of sessions are not used twice while the server lives.
class MariadbTarget final : public CancelTarget {
 public:
  MariadbTarget(MYSQL& connection, const Url& url, std::chrono::milliseconds grace)
      : CancelTarget(static_cast<int>(mysql_get_socket(&connection))),
        url_(url),
        grace_(grace),
        statement_("KILL QUERY " + std::to_string(mysql_thread_id(&connection))) {}

  bool send() noexcept override {
    try {
      const std::unique_ptr<MYSQL, decltype(&mysql_close)> other(
          connect_mariadb(url_, grace_, grace_), &mysql_close);
      return mysql_real_query(other.get(), statement_.data(), statement_.size()) == 0;
    } catch (const std::exception&) {
      return false;
    }
  }

 private:
  const Url url_;
  const std::chrono::milliseconds grace_;
  const std::string statement_;
};

// Where a statement has a limit and the cancel at its end fails, the client gives up by itself.
std::chrono::nanoseconds longest_answer(const Options& options) {
  if (options.longest_statement.count() == 0) return std::chrono::nanoseconds(0);
  return options.longest_statement + 2 * options.cancel_grace;
}

}  // namespace

MariadbDriver::MariadbDriver(const Url& url, const Options& options, const CancelToken& token,
                             std::shared_ptr<Helpers> helpers)
    : ServerDriver(options, std::move(helpers)),
      connection_(connect_mariadb(url, token.remaining(), longest_answer(options))),
      statements_(options.cached_statements) {
  target_ = std::make_shared<MariadbTarget>(*connection_, url, options.cancel_grace);
}

MariadbDriver::~MariadbDriver() {
  end_recovery();
  // The goodbyes of the statements and of the session are not to be waited for.
  if (is_broken()) target_->shut_down();
}

void MariadbDriver::fail(unsigned code, const char* message) {
  if (mariadb_kind(code) == ErrorKind::unavailable) is_lost_ = true;
  std::string told = message;
  if (mariadb_kind(code) == ErrorKind::conflict) {
    told = without_duplicate(message);
  } else if (mariadb_quotes_values(code)) {
    told = without_quoted(message);
  }
  throw Error(mariadb_kind(code), std::to_string(code), told);
}

MariadbDriver::Prepared MariadbDriver::prepare(const std::string& statement) {
  Prepared prepared(mysql_stmt_init(connection_.get()));
  if (prepared == nullptr) fail(CR_OUT_OF_MEMORY, "no memory is to be had");
  const my_bool yes = 1;
  mysql_stmt_attr_set(prepared.get(), STMT_ATTR_UPDATE_MAX_LENGTH, &yes);
  if (mysql_stmt_prepare(prepared.get(), statement.data(), statement.size()) != 0) {
    fail(mysql_stmt_errno(prepared.get()), mysql_stmt_error(prepared.get()));
  }
  return prepared;
}

Rows MariadbDriver::run(const std::string& statement, std::span<const Value> parameters) {
  Prepared* prepared = statements_.find(statement);
  if (prepared == nullptr) {
    statements_.make_room();
    prepared = &statements_.add(statement, prepare(statement));
  }
  check_count(mysql_stmt_param_count(prepared->get()), parameters.size());
  try {
    return run_prepared(**prepared, parameters);
  } catch (const Error&) {
    // Whatever of its result is left goes with it, and so does what it was prepared for.
    statements_.remove(statement);
    throw;
  }
}

Rows MariadbDriver::run_prepared(MYSQL_STMT& statement, std::span<const Value> parameters) {
  const auto check = [&](bool is_failed) {
    if (is_failed) fail(mysql_stmt_errno(&statement), mysql_stmt_error(&statement));
  };
  std::vector<MYSQL_BIND> bindings = bindings_of(parameters);
  check(!bindings.empty() && mysql_stmt_bind_param(&statement, bindings.data()) != 0);
  check(mysql_stmt_execute(&statement) != 0);
  Rows rows;
  const std::unique_ptr<MYSQL_RES, decltype(&mysql_free_result)> description(
      mysql_stmt_result_metadata(&statement), &mysql_free_result);
  if (description == nullptr) {
    rows.affected = mysql_stmt_affected_rows(&statement);
    return rows;
  }
  check(mysql_stmt_store_result(&statement) != 0);
  // The lengths that were found are in a description that is taken now.
  const std::unique_ptr<MYSQL_RES, decltype(&mysql_free_result)> measured(
      mysql_stmt_result_metadata(&statement), &mysql_free_result);
  if (measured == nullptr) fail(CR_OUT_OF_MEMORY, "no memory is to be had");
  MariadbRow row(*measured);
  check(mysql_stmt_bind_result(&statement, row.bindings().data()) != 0);
  for (unsigned column = 0; column < mysql_num_fields(measured.get()); ++column) {
    rows.columns.emplace_back(mysql_fetch_field_direct(measured.get(), column)->name);
  }
  rows.rows.reserve(mysql_stmt_num_rows(&statement));
  int code = 0;
  while ((code = mysql_stmt_fetch(&statement)) == 0) rows.rows.push_back(row.take());
  check(code == 1);
  if (code == MYSQL_DATA_TRUNCATED) {
    throw Error(ErrorKind::other, "", "a value is longer than the server has announced");
  }
  mysql_stmt_free_result(&statement);
  return rows;
}

void MariadbDriver::run_plain(const char* statement) {
  if (mysql_query(connection_.get(), statement) != 0) {
    fail(mysql_errno(connection_.get()), mysql_error(connection_.get()));
  }
}

void MariadbDriver::run_nothing() {
  run_plain("DO 0");
}

bool MariadbDriver::is_in_transaction() const noexcept {
  unsigned status = 0;
  mariadb_get_infov(connection_.get(), MARIADB_CONNECTION_SERVER_STATUS, &status);
  return (status & SERVER_STATUS_IN_TRANS) != 0;
}

std::unique_ptr<Driver> open_mariadb(const Url& url, const Options& options,
                                     const CancelToken& token, std::shared_ptr<Helpers> helpers) {
  return std::make_unique<MariadbDriver>(url, options, token, std::move(helpers));
}

}  // namespace weft::sql
