// SPDX-License-Identifier: Apache-2.0
// PostgresqlSession: libpq's connection, by its calls that do not block: who waits for an answer
// can be called away from it, and the answer is taken later by somebody else.
#pragma once

#include <libpq-fe.h>

#include <memory>
#include <optional>

#include <weft/cancel.h>
#include <weft/sql.h>

#include "sql/alarm.h"
#include "sql/recovery.h"

namespace weft::sql {

struct ClearResult {
  void operator()(PGresult* result) const noexcept { PQclear(result); }
};
using PostgresqlResult = std::unique_ptr<PGresult, ClearResult>;

class PostgresqlSession final : public RecoverableSession {
 public:
  // Thrown by await() to who is called away, or whose time is over: the answer is still to come.
  struct Left {};

  // Throws Error(unavailable).
  PostgresqlSession(const Url& url, const CancelToken& token);
  ~PostgresqlSession() = default;

  PGconn* connection() const noexcept { return connection_.get(); }
  bool is_connected() const noexcept { return PQstatus(connection_.get()) == CONNECTION_OK; }
  bool is_in_transaction() const noexcept {
    return PQtransactionStatus(connection_.get()) != PQTRANS_IDLE;
  }
  Alarm& alarm() noexcept { return alarm_; }
  const std::shared_ptr<CancelTarget>& target() const noexcept { return target_; }

  // The last result of what was sent, or the first that is an error; as PQexec() gives it. Takes
  // what the call that sent it has said. Null: the connection says why.
  PostgresqlResult await(int is_sent);

  // Without the alarm.
  Answer read_until(Instant until) noexcept override;
  bool take_leftover(Instant until) noexcept override;
  bool roll_back(Instant until) noexcept override;

 private:
  struct Finish {
    void operator()(PGconn* connection) const noexcept { PQfinish(connection); }
  };
  void send_rest();
  PostgresqlResult next_result();
  void wait_for(short events);
  // What has come is taken before it is left. False: there is nothing more to wait for.
  bool wait_for_more();
  // Nothing: it was not answered in time.
  std::optional<PostgresqlResult> run_until(const char* statement, Instant until) noexcept;

  const std::unique_ptr<PGconn, Finish> connection_;
  Alarm alarm_;
  std::shared_ptr<CancelTarget> target_;
  Instant until_ = Instant::max();  // of the waits
};

}  // namespace weft::sql
