// SPDX-License-Identifier: Apache-2.0
// ServerDriver: what PostgreSQL and MariaDB have in common: statements that are sent to another
// process, and cancels that are sent after them.
#pragma once

#include <memory>
#include <string>

#include "sql/driver.h"
#include "sql/helpers.h"
#include "sql/interruption.h"

namespace weft::sql {

class ServerDriver : public Driver {
 public:
  ServerDriver(const Options& options, std::shared_ptr<Helpers> helpers)
      : options_(options), helpers_(std::move(helpers)) {}

  Rows execute(const std::string& statement, std::span<const Value> parameters,
               const CancelToken& token) final;
  void control(const char* statement, const CancelToken& token) final;
  bool is_broken() const noexcept final { return is_broken_; }
  bool has_hung_up() const noexcept final { return target_->has_hung_up(); }

 protected:
  // Each throws Error.
  virtual Rows run(const std::string& statement, std::span<const Value> parameters) = 0;
  virtual void run_plain(const char* statement) = 0;  // unprepared, without parameters
  // Runs a statement that does nothing, to take what is left of a cancel: the servers themselves
  // forget one that comes between statements, but others may stand between them and us.
  virtual void run_nothing() = 0;
  virtual bool is_connected() const noexcept = 0;

  const Options options_;
  std::shared_ptr<CancelTarget> target_;  // set before the first statement

 private:
  template <class Call>
  Rows interruptible(const CancelToken& token, Call call);
  bool takes_leftover() noexcept;

  const std::shared_ptr<Helpers> helpers_;
  bool is_broken_ = false;
};

}  // namespace weft::sql
