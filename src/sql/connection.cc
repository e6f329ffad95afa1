// SPDX-License-Identifier: Apache-2.0
// Connections and transactions, whatever the database: limits, phases, counting.
#include <weft/cancel.h>
#include <weft/sql.h>

#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "sql/driver.h"
#include "sql/helpers.h"
#include "sql/text.h"

namespace weft::sql {
namespace {

using Clock = std::chrono::steady_clock;

std::unique_ptr<Driver> open(const Url& url, const Options& options,
                             std::shared_ptr<Helpers> helpers) {
  const CancelToken outer = cancellation();
  outer.check();
  const CancelSource limit(Clock::now() + options.connect_timeout, outer);
  try {
    if (url.dialect == Dialect::sqlite) return open_sqlite(url, options, limit.token());
    if (helpers == nullptr) helpers = std::make_shared<Helpers>(1);
    return url.dialect == Dialect::postgresql
               ? open_postgresql(url, options, limit.token(), std::move(helpers))
               : open_mariadb(url, options, limit.token(), std::move(helpers));
  } catch (const Error&) {
    outer.check();
    throw;
  }
}

// What can come of a cancel; a key that was there already is told as that.
bool may_be_cancel(ErrorKind kind) noexcept {
  return kind == ErrorKind::cancelled || kind == ErrorKind::unavailable ||
         kind == ErrorKind::timeout || kind == ErrorKind::retriable;
}

}  // namespace

Error cannot_connect(const Url& url, std::string code, const std::string& why) {
  return {ErrorKind::unavailable, std::move(code),
          "cannot connect to " + url.redacted() + ": " + why};
}

Connection::Connection(const Url& url, const Options& options, std::shared_ptr<Helpers> helpers)
    : dialect_(url.dialect), options_(options), driver_(open(url, options, std::move(helpers))) {}

Connection::~Connection() = default;

bool Connection::is_recovering() const noexcept {
  return driver_->is_recovering();
}

bool Connection::when_recovered(std::function<void()> function) {
  return driver_->when_recovered(std::move(function));
}

bool Connection::is_broken() const noexcept {
  return is_discarded_ || driver_->is_broken();
}

bool Connection::is_fresh() noexcept {
  return !is_broken() && !driver_->is_recovering() && !driver_->is_in_transaction() &&
         !driver_->has_hung_up();
}

template <class Call>
auto Connection::within_limits(Call call) {
  if (is_broken()) {
    throw Error(ErrorKind::unavailable, "", "the connection is broken; take another one");
  }
  const CancelToken outer = cancellation();
  outer.check();
  std::optional<CancelSource> limit;
  if (options_.longest_statement.count() > 0) {
    limit.emplace(Clock::now() + options_.longest_statement, outer);
  }
  const CancelToken token = limit ? limit->token() : outer;
  ++counters_.statements;
  try {
    driver_->await_recovery(token);
    return call(token);
  } catch (const Error& error) {
    if (transaction_ == Phase::open) transaction_ = Phase::failed;
    if (!may_be_cancel(error.kind()) || !token.is_cancelled()) {
      ++counters_.failures;
      throw;
    }
    ++counters_.cancels;
    outer.check();
    throw Error(ErrorKind::timeout, "",
                "the statement took longer than " +
                    std::to_string(options_.longest_statement.count()) +
                    " ms, the limit of this connection");
  }
}

Rows Connection::execute(std::string_view statement, std::span<const Value> parameters) {
  check_text(statement, parameters);
  if (transaction_ == Phase::failed) {
    throw Error(ErrorKind::misuse, "",
                "the transaction has failed with an earlier statement; roll it back");
  }
  return within_limits([&](const CancelToken& token) {
    return driver_->execute(std::string(statement), parameters, token);
  });
}

void Connection::begin() {
  const Error is_within(ErrorKind::misuse, "", "there is a transaction on this connection already");
  if (transaction_ != Phase::none) throw is_within;
  bool is_begun = false;
  try {
    within_limits([&](const CancelToken& token) {
      if (driver_->is_in_transaction()) throw is_within;
      is_begun = true;
      driver_->control(driver_->begin_statement(), token);
    });
  } catch (...) {
    if (is_begun) roll_back();  // the server may have begun all the same
    throw;
  }
  transaction_ = Phase::open;
}

void Connection::commit() {
  if (transaction_ == Phase::failed) {
    roll_back();
    throw Error(ErrorKind::misuse, "",
                "the transaction has failed with an earlier statement, and was rolled back");
  }
  try {
    within_limits([&](const CancelToken& token) { driver_->control("COMMIT", token); });
  } catch (...) {
    roll_back();
    throw;
  }
  transaction_ = Phase::none;
}

void Connection::roll_back() noexcept {
  transaction_ = Phase::none;
  if (is_broken() || driver_->roll_back_in_recovery() || !driver_->is_in_transaction()) return;
  try {
    // The work may be cancelled by now; this is still to be done.
    const CancelSource limit(Clock::now() + options_.cancel_grace);
    driver_->control("ROLLBACK", limit.token());
  } catch (const std::exception&) {
    discard();
  }
}

Transaction::Transaction(Connection& connection) : connection_(connection) {
  connection_.begin();
}

Transaction::~Transaction() {
  rollback();
}

void Transaction::commit() {
  if (!is_open_) throw Error(ErrorKind::misuse, "", "the transaction has ended before");
  is_open_ = false;
  connection_.commit();
}

void Transaction::rollback() noexcept {
  if (std::exchange(is_open_, false)) connection_.roll_back();
}

}  // namespace weft::sql
