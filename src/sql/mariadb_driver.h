// SPDX-License-Identifier: Apache-2.0
// MariadbDriver: a session on a MariaDB server, by its C client.
#pragma once

#include <mysql.h>

#include <memory>
#include <string>

#include "sql/server_driver.h"
#include "sql/statement_cache.h"

namespace weft::sql {

class MariadbDriver final : public ServerDriver {
 public:
  MariadbDriver(const Url& url, const Options& options, const CancelToken& token,
                std::shared_ptr<Helpers> helpers);
  ~MariadbDriver() override;

  const char* begin_statement() const noexcept override { return "START TRANSACTION"; }
  bool is_in_transaction() const noexcept override;

 private:
  struct Close {
    void operator()(MYSQL* connection) const noexcept { mysql_close(connection); }
  };
  struct CloseStatement {
    void operator()(MYSQL_STMT* statement) const noexcept { mysql_stmt_close(statement); }
  };
  using Prepared = std::unique_ptr<MYSQL_STMT, CloseStatement>;

  Rows run(const std::string& statement, std::span<const Value> parameters) override;
  void run_plain(const char* statement) override;
  void run_nothing() override;
  bool is_connected() const noexcept override { return !is_lost_; }

  Prepared prepare(const std::string& statement);
  Rows run_prepared(MYSQL_STMT& statement, std::span<const Value> parameters);
  [[noreturn]] void fail(unsigned code, const char* message);

  std::unique_ptr<MYSQL, Close> connection_;
  StatementCache<Prepared> statements_;  // goes before the connection
  bool is_lost_ = false;
};

}  // namespace weft::sql
