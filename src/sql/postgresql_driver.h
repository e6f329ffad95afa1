// SPDX-License-Identifier: Apache-2.0
// PostgresqlDriver: a session on a PostgreSQL server, by libpq.
//
// Whoever is cancelled leaves at once, whatever the server does; a helper cancels the statement and
// clears up after it (recovery.h).
//
// A statement is prepared for the types of its parameters as well: integers are int8, doubles
// float8, blobs bytea; text is of whatever type the statement wants there.
#pragma once

#include <libpq-fe.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "sql/driver.h"
#include "sql/postgresql_session.h"
#include "sql/recovery.h"
#include "sql/statement_cache.h"

namespace weft::sql {

class PostgresqlDriver final : public Driver {
 public:
  PostgresqlDriver(const Url& url, const Options& options, const CancelToken& token,
                   std::shared_ptr<Helpers> helpers);
  ~PostgresqlDriver() override { recovery_.give_up(); }

  Rows execute(const std::string& statement, std::span<const Value> parameters,
               const CancelToken& token) override;
  void control(const char* statement, const CancelToken& token) override;
  const char* begin_statement() const noexcept override { return "BEGIN"; }
  bool is_in_transaction() const noexcept override { return session_.is_in_transaction(); }
  bool is_broken() const noexcept override { return is_broken_ || recovery_.is_lost(); }
  bool has_hung_up() const noexcept override { return session_.target()->has_hung_up(); }

  bool is_recovering() const noexcept override { return recovery_.is_under_way(); }
  void await_recovery(const CancelToken& token) override { recovery_.wait_or_throw(token); }
  bool roll_back_in_recovery() noexcept override { return recovery_.roll_back(); }
  bool when_recovered(std::function<void()> function) override {
    return recovery_.then(std::move(function));
  }

 private:
  struct Prepared {
    std::string name;
    std::size_t placeholders = 0;
  };

  template <class Call>
  Rows interruptible(const CancelToken& token, Call call);
  // The token was cancelled: whoever waits goes, and the helpers see to the rest.
  [[noreturn]] void leave();
  Rows run(const std::string& statement, std::span<const Value> parameters);
  Rows run_plain(const char* statement);
  const Prepared& prepare(const std::string& key, const std::string& statement,
                          std::span<const Value> parameters);
  // Of what was sent; throws Error, or Left.
  PostgresqlResult answer(int is_sent);

  PostgresqlSession session_;
  StatementCache<Prepared> statements_;
  std::uint64_t names_ = 0;
  bool is_broken_ = false;
  Recovery recovery_;
};

}  // namespace weft::sql
