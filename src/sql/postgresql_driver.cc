// SPDX-License-Identifier: Apache-2.0
// PostgreSQL: statements, their preparation, and their cancellation.
#include "sql/postgresql_driver.h"

#include <array>
#include <utility>

#include "base/text.h"
#include "sql/errors.h"
#include "sql/postgresql_connect.h"
#include "sql/postgresql_values.h"
#include "sql/text.h"

namespace weft::sql {
namespace {

// PQcancel() comes back when the server has closed the conversation, which it does after it has
// signalled the session. A session that waits for its next statement ignores the signal.
class PostgresqlTarget final : public CancelTarget {
 public:
  explicit PostgresqlTarget(PGconn& connection)
      : CancelTarget(PQsocket(&connection)), cancel_(PQgetCancel(&connection)) {}

  bool send() noexcept override {
    std::array<char, 256> why{};
    return cancel_ != nullptr && PQcancel(cancel_.get(), why.data(), why.size()) == 1;
  }

 private:
  struct Free {
    void operator()(PGcancel* cancel) const noexcept { PQfreeCancel(cancel); }
  };
  const std::unique_ptr<PGcancel, Free> cancel_;
};

std::string field_of(const PGresult* result, int field) {
  const char* const text = PQresultErrorField(result, field);
  return text == nullptr ? std::string() : std::string(text);
}

std::string message_of(const PGresult* result, std::string_view state, PGconn* connection) {
  std::string message = field_of(result, PG_DIAG_MESSAGE_PRIMARY);
  if (message.empty()) message = base::trim(PQerrorMessage(connection));
  if (postgresql_quotes_values(state)) message = without_quoted(message);
  if (const std::string constraint = field_of(result, PG_DIAG_CONSTRAINT_NAME);
      !constraint.empty()) {
    message += " (constraint " + constraint + ")";
  }
  return message;
}

}  // namespace

PostgresqlDriver::PostgresqlDriver(const Url& url, const Options& options, const CancelToken& token,
                                   std::shared_ptr<Helpers> helpers)
    : ServerDriver(options, std::move(helpers)),
      connection_(connect_postgresql(url, token)),
      statements_(options.cached_statements) {
  // libpq would print them.
  PQsetNoticeProcessor(
      connection_.get(), [](void*, const char*) {}, nullptr);
  target_ = std::make_shared<PostgresqlTarget>(*connection_);
}

PostgresqlDriver::Result PostgresqlDriver::checked(PGresult* result) const {
  Result owned(result);
  switch (PQresultStatus(result)) {
    case PGRES_COMMAND_OK:
    case PGRES_TUPLES_OK:
    case PGRES_EMPTY_QUERY:
      return owned;
    case PGRES_COPY_IN:
    case PGRES_COPY_OUT:
    case PGRES_COPY_BOTH:
      target_->shut_down();  // there is no other way out of a COPY that nobody feeds
      throw Error(ErrorKind::misuse, "",
                  "COPY is not for this interface; the connection is closed");
    default:
      break;
  }
  std::string state = field_of(result, PG_DIAG_SQLSTATE);
  const ErrorKind kind = is_connected() ? postgresql_kind(state) : ErrorKind::unavailable;
  const std::string message = message_of(result, state, connection_.get());
  throw Error(kind, std::move(state), message);
}

const PostgresqlDriver::Prepared& PostgresqlDriver::prepare(const std::string& key,
                                                            const std::string& statement,
                                                            std::span<const Value> parameters) {
  if (const Prepared* const found = statements_.find(key)) return *found;
  const Numbered numbered = with_numbered_placeholders(statement);
  check_count(numbered.placeholders, parameters.size());
  if (const auto oldest = statements_.make_room()) {
    checked(PQexec(connection_.get(), ("DEALLOCATE " + oldest->name).c_str()));
  }
  Prepared prepared{"weft_" + std::to_string(++names_), numbered.placeholders};
  const std::vector<Oid> types = types_of(parameters);
  checked(PQprepare(connection_.get(), prepared.name.c_str(), numbered.statement.c_str(),
                    static_cast<int>(types.size()), types.data()));
  return statements_.add(key, std::move(prepared));
}

Rows PostgresqlDriver::run(const std::string& statement, std::span<const Value> parameters) {
  const PostgresqlParameters bound(parameters);
  const std::string key = signature_of(parameters) + ' ' + statement;
  const Prepared& prepared = prepare(key, statement, parameters);
  try {
    return rows_of(*checked(PQexecPrepared(
        connection_.get(), prepared.name.c_str(), static_cast<int>(parameters.size()),
        bound.pointers.data(), bound.lengths.data(), bound.formats.data(), 0)));
  } catch (const Error& error) {
    // Its plan may be of a schema that has changed; then it is prepared anew the next time. Its
    // name stays with the session, which this happens to seldom.
    if (error.code() == "0A000" || error.code() == "26000") statements_.remove(key);
    throw;
  }
}

void PostgresqlDriver::run_plain(const char* statement) {
  const Result result = checked(PQexec(connection_.get(), statement));
  // COMMIT of a transaction that had failed is a success of PostgreSQL's, and rolls back.
  if (std::string_view(statement) == "COMMIT" &&
      std::string_view(PQcmdStatus(result.get())) != "COMMIT") {
    throw Error(ErrorKind::other, "", "the transaction had failed, and was rolled back");
  }
}

void PostgresqlDriver::run_nothing() {
  checked(PQexec(connection_.get(), ""));
}

bool PostgresqlDriver::is_connected() const noexcept {
  return PQstatus(connection_.get()) == CONNECTION_OK;
}

bool PostgresqlDriver::is_in_transaction() const noexcept {
  return PQtransactionStatus(connection_.get()) != PQTRANS_IDLE;
}

std::unique_ptr<Driver> open_postgresql(const Url& url, const Options& options,
                                        const CancelToken& token,
                                        std::shared_ptr<Helpers> helpers) {
  return std::make_unique<PostgresqlDriver>(url, options, token, std::move(helpers));
}

}  // namespace weft::sql
