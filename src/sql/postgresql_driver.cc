// SPDX-License-Identifier: Apache-2.0
// PostgreSQL: statements, their preparation, and their cancellation.
#include "sql/postgresql_driver.h"

#include <exception>
#include <utility>

#include "base/text.h"
#include "sql/errors.h"
#include "sql/postgresql_values.h"
#include "sql/text.h"

namespace weft::sql {
namespace {

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
    : session_(url, token),
      statements_(options.cached_statements),
      recovery_(std::move(helpers), options.cancel_grace) {}

template <class Call>
Rows PostgresqlDriver::interruptible(const CancelToken& token, Call call) {
  bool is_left = false;
  Rows rows;
  std::exception_ptr thrown;
  {
    const OnCancel on_cancel(token, [this] { session_.alarm().ring(); });
    try {
      rows = call();
    } catch (const PostgresqlSession::Left&) {
      is_left = true;
    } catch (...) {
      thrown = std::current_exception();
    }
  }
  if (token.is_cancelled()) session_.alarm().clear();
  if (is_left) leave();
  if (!session_.is_connected()) is_broken_ = true;
  if (thrown) std::rethrow_exception(thrown);
  return rows;
}

void PostgresqlDriver::leave() {
  try {
    recovery_.begin(session_.target(), session_);
  } catch (const std::exception&) {
    is_broken_ = true;
    session_.target()->shut_down();
  }
  throw Error(ErrorKind::cancelled, "", "the statement was cancelled");
}

Rows PostgresqlDriver::execute(const std::string& statement, std::span<const Value> parameters,
                               const CancelToken& token) {
  return interruptible(token, [&] { return run(statement, parameters); });
}

void PostgresqlDriver::control(const char* statement, const CancelToken& token) {
  interruptible(token, [&] { return run_plain(statement); });
}

PostgresqlResult PostgresqlDriver::answer(int is_sent) {
  PostgresqlResult owned = session_.await(is_sent);
  const PGresult* const result = owned.get();
  switch (PQresultStatus(result)) {
    case PGRES_COMMAND_OK:
    case PGRES_TUPLES_OK:
    case PGRES_EMPTY_QUERY:
      return owned;
    case PGRES_COPY_IN:
    case PGRES_COPY_OUT:
    case PGRES_COPY_BOTH:
      session_.target()->shut_down();  // there is no other way out of a COPY that nobody feeds
      is_broken_ = true;
      throw Error(ErrorKind::misuse, "",
                  "COPY is not for this interface; the connection is closed");
    default:
      break;
  }
  std::string state = field_of(result, PG_DIAG_SQLSTATE);
  const ErrorKind kind = session_.is_connected() ? postgresql_kind(state) : ErrorKind::unavailable;
  const std::string message = message_of(result, state, session_.connection());
  throw Error(kind, std::move(state), message);
}

const PostgresqlDriver::Prepared& PostgresqlDriver::prepare(const std::string& key,
                                                            const std::string& statement,
                                                            std::span<const Value> parameters) {
  if (const Prepared* const found = statements_.find(key)) return *found;
  const Numbered numbered = with_numbered_placeholders(statement);
  check_count(numbered.placeholders, parameters.size());
  if (const auto oldest = statements_.make_room()) {
    answer(PQsendQuery(session_.connection(), ("DEALLOCATE " + oldest->name).c_str()));
  }
  Prepared prepared{"weft_" + std::to_string(++names_), numbered.placeholders};
  const std::vector<Oid> types = types_of(parameters);
  answer(PQsendPrepare(session_.connection(), prepared.name.c_str(), numbered.statement.c_str(),
                       static_cast<int>(types.size()), types.data()));
  return statements_.add(key, std::move(prepared));
}

Rows PostgresqlDriver::run(const std::string& statement, std::span<const Value> parameters) {
  const PostgresqlParameters bound(parameters);
  const std::string key = signature_of(parameters) + ' ' + statement;
  const Prepared& prepared = prepare(key, statement, parameters);
  try {
    return rows_of(*answer(PQsendQueryPrepared(
        session_.connection(), prepared.name.c_str(), static_cast<int>(parameters.size()),
        bound.pointers.data(), bound.lengths.data(), bound.formats.data(), 0)));
  } catch (const Error& error) {
    // Its plan may be of a schema that has changed; then it is prepared anew the next time. Its
    // name stays with the session, which this happens to seldom.
    if (error.code() == "0A000" || error.code() == "26000") statements_.remove(key);
    throw;
  }
}

Rows PostgresqlDriver::run_plain(const char* statement) {
  const PostgresqlResult result = answer(PQsendQuery(session_.connection(), statement));
  // COMMIT of a transaction that had failed is a success of PostgreSQL's, and rolls back.
  if (std::string_view(statement) == "COMMIT" &&
      std::string_view(PQcmdStatus(result.get())) != "COMMIT") {
    throw Error(ErrorKind::other, "", "the transaction had failed, and was rolled back");
  }
  return {};
}

std::unique_ptr<Driver> open_postgresql(const Url& url, const Options& options,
                                        const CancelToken& token,
                                        std::shared_ptr<Helpers> helpers) {
  return std::make_unique<PostgresqlDriver>(url, options, token, std::move(helpers));
}

}  // namespace weft::sql
