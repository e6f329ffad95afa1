// SPDX-License-Identifier: Apache-2.0
// Driver: what a connection needs of a kind of database.
//
// A driver sends one statement at a time and sees to it that the token ends it. It throws Error,
// also when it was the token: the connection, which knows whose the token is, makes Cancelled of
// it.
#pragma once

#include <memory>
#include <span>
#include <string>

#include <weft/cancel.h>
#include <weft/sql.h>

namespace weft::sql {

class Helpers;

class Driver {
 public:
  Driver() = default;
  virtual ~Driver() = default;
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  // Precondition: check_text().
  virtual Rows execute(const std::string& statement, std::span<const Value> parameters,
                       const CancelToken& token) = 0;
  // BEGIN, COMMIT or ROLLBACK, in the words of the dialect.
  virtual void control(const char* statement, const CancelToken& token) = 0;

  virtual const char* begin_statement() const noexcept = 0;
  virtual bool is_in_transaction() const noexcept = 0;
  virtual bool is_broken() const noexcept = 0;
  // Between statements: the other side has closed, or sent what was not asked for.
  virtual bool has_hung_up() const noexcept = 0;
};

std::unique_ptr<Driver> open_sqlite(const Url& url, const Options& options,
                                    const CancelToken& token);
std::unique_ptr<Driver> open_postgresql(const Url& url, const Options& options,
                                        const CancelToken& token, std::shared_ptr<Helpers> helpers);
std::unique_ptr<Driver> open_mariadb(const Url& url, const Options& options,
                                     const CancelToken& token, std::shared_ptr<Helpers> helpers);

// "cannot connect to URL: …", of kind unavailable.
Error cannot_connect(const Url& url, std::string code, const std::string& why);

}  // namespace weft::sql
