// SPDX-License-Identifier: Apache-2.0
// Sending, waiting and reading by libpq.
#include "sql/postgresql_session.h"

#include <poll.h>

#include <array>

#include "sql/driver.h"
#include "sql/postgresql_connect.h"

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

bool is_copy(const PGresult* result) noexcept {
  const ExecStatusType status = PQresultStatus(result);
  return status == PGRES_COPY_IN || status == PGRES_COPY_OUT || status == PGRES_COPY_BOTH;
}

bool is_error(const PGresult* result) noexcept {
  const ExecStatusType status = PQresultStatus(result);
  return status == PGRES_FATAL_ERROR || status == PGRES_BAD_RESPONSE;
}

}  // namespace

PostgresqlSession::PostgresqlSession(const Url& url, const CancelToken& token)
    : connection_(connect_postgresql(url, token)) {
  if (!alarm_.is_valid()) throw cannot_connect(url, "", "no descriptor is to be had");
  if (PQsetnonblocking(connection_.get(), 1) != 0) {
    throw cannot_connect(url, "", PQerrorMessage(connection_.get()));
  }
  // libpq would print them.
  PQsetNoticeProcessor(
      connection_.get(), [](void*, const char*) {}, nullptr);
  target_ = std::make_shared<PostgresqlTarget>(*connection_);
}

void PostgresqlSession::wait_for(short events) {
  if (alarm_.wait(PQsocket(connection_.get()), events, until_) != Alarm::Woken::by_socket) {
    throw Left();
  }
}

bool PostgresqlSession::wait_for_more() {
  const auto woken = alarm_.wait(PQsocket(connection_.get()), POLLIN, until_);
  if (PQconsumeInput(connection_.get()) == 0) return false;
  if (woken != Alarm::Woken::by_socket && PQisBusy(connection_.get()) != 0) throw Left();
  return true;
}

void PostgresqlSession::send_rest() {
  while (PQflush(connection_.get()) == 1) {
    wait_for(POLLIN | POLLOUT);
    // The server may want to be read before it reads on.
    if (PQconsumeInput(connection_.get()) == 0) return;
  }
}

PostgresqlResult PostgresqlSession::next_result() {
  while (PQisBusy(connection_.get()) != 0 && wait_for_more()) {
  }
  return PostgresqlResult(PQgetResult(connection_.get()));
}

PostgresqlResult PostgresqlSession::await(int is_sent) {
  PostgresqlResult last;
  if (is_sent == 0) return last;
  send_rest();
  while (PostgresqlResult next = next_result()) {
    if (is_copy(next.get())) return next;  // there would be no end
    if (last == nullptr || !is_error(last.get())) last = std::move(next);
  }
  return last;
}

PostgresqlSession::Answer PostgresqlSession::read_until(Instant until) noexcept {
  until_ = until;
  Answer answer = Answer::pending;
  try {
    answer = is_copy(await(1).get()) || !is_connected() ? Answer::lost : Answer::whole;
  } catch (const Left&) {
    if (!is_connected()) answer = Answer::lost;
  }
  until_ = Instant::max();
  return answer;
}

std::optional<PostgresqlResult> PostgresqlSession::run_until(const char* statement,
                                                             Instant until) noexcept {
  until_ = until;
  std::optional<PostgresqlResult> result;
  try {
    result = await(PQsendQuery(connection_.get(), statement));
  } catch (const Left&) {
  }
  until_ = Instant::max();
  return result;
}

// What it answers is of no interest: it may be that it was cancelled.
bool PostgresqlSession::take_leftover(Instant until) noexcept {
  return run_until("", until).has_value() && is_connected();
}

bool PostgresqlSession::roll_back(Instant until) noexcept {
  if (!is_in_transaction()) return true;
  return run_until("ROLLBACK", until).has_value() && is_connected() && !is_in_transaction();
}

}  // namespace weft::sql
