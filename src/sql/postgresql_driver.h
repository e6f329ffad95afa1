// SPDX-License-Identifier: Apache-2.0
// PostgresqlDriver: a session on a PostgreSQL server, by libpq.
//
// A statement is prepared for the types of its parameters as well: integers are int8, doubles
// float8, blobs bytea; text is of whatever type the statement wants there.
#pragma once

#include <libpq-fe.h>

#include <cstdint>
#include <memory>
#include <string>

#include "sql/server_driver.h"
#include "sql/statement_cache.h"

namespace weft::sql {

class PostgresqlDriver final : public ServerDriver {
 public:
  PostgresqlDriver(const Url& url, const Options& options, const CancelToken& token,
                   std::shared_ptr<Helpers> helpers);

  const char* begin_statement() const noexcept override { return "BEGIN"; }
  bool is_in_transaction() const noexcept override;

 private:
  struct Finish {
    void operator()(PGconn* connection) const noexcept { PQfinish(connection); }
  };
  struct Clear {
    void operator()(PGresult* result) const noexcept { PQclear(result); }
  };
  using Result = std::unique_ptr<PGresult, Clear>;
  struct Prepared {
    std::string name;
    std::size_t placeholders = 0;
  };

  Rows run(const std::string& statement, std::span<const Value> parameters) override;
  void run_plain(const char* statement) override;
  void run_nothing() override;
  bool is_connected() const noexcept override;

  const Prepared& prepare(const std::string& key, const std::string& statement,
                          std::span<const Value> parameters);
  Result checked(PGresult* result) const;

  std::unique_ptr<PGconn, Finish> connection_;
  StatementCache<Prepared> statements_;
  std::uint64_t names_ = 0;
};

}  // namespace weft::sql
