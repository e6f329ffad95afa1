// SPDX-License-Identifier: Apache-2.0
// Driver: what a connection needs of a kind of database.
//
// A driver sends one statement at a time and sees to it that the token ends it. It throws Error,
// also when it was the token: the connection, which knows whose the token is, makes Cancelled of
// it.
#pragma once

#include <functional>
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

  // A statement that was left when it was cancelled may have to be cleared up after, by others:
  // until that is over nothing of the above is to be called, but is_broken(). See recovery.h.
  virtual bool is_recovering() const noexcept { return false; }
  // Throws Error: the connection is lost, or the token was cancelled before it was over.
  virtual void await_recovery(const CancelToken&) {}
  // Both are false where it is over. Rolls back what is open by then; calls the function after.
  virtual bool roll_back_in_recovery() noexcept { return false; }
  virtual bool when_recovered(std::function<void()>) { return false; }
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
