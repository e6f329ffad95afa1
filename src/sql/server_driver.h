// SPDX-License-Identifier: Apache-2.0
// ServerDriver: statements on a server, by a library whose calls block until there is an answer.
//
// When the token is cancelled, a helper sends the server's own kind of cancel, which ends the
// statement, and with it the call. What is left to do then (to wait until the server has taken the
// cancel for sure, to take what may be left of it) is not for who was cancelled to wait for, but
// the helper's (recovery.h). A server that does not end the statement within
// Options::cancel_patience loses the connection, which ends the call, too.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "sql/driver.h"
#include "sql/recovery.h"

namespace weft::sql {

class ServerDriver : public Driver, protected RecoverableSession {
 public:
  ServerDriver(const Options& options, std::shared_ptr<Helpers> helpers)
      : options_(options), recovery_(std::move(helpers), options.cancel_grace) {}

  Rows execute(const std::string& statement, std::span<const Value> parameters,
               const CancelToken& token) final;
  void control(const char* statement, const CancelToken& token) final;
  bool is_broken() const noexcept final { return is_broken_ || recovery_.is_lost(); }
  bool has_hung_up() const noexcept final { return target_->has_hung_up(); }

  bool is_recovering() const noexcept final { return recovery_.is_under_way(); }
  void await_recovery(const CancelToken& token) final { recovery_.wait_or_throw(token); }
  bool roll_back_in_recovery() noexcept final { return recovery_.roll_back(); }
  bool when_recovered(std::function<void()> function) final {
    return recovery_.then(std::move(function));
  }

 protected:
  // Each throws Error.
  virtual Rows run(const std::string& statement, std::span<const Value> parameters) = 0;
  virtual void run_plain(const char* statement) = 0;  // unprepared, without parameters
  // Runs a statement that does nothing, to take what is left of a cancel: the servers themselves
  // forget one that comes between statements, but others may stand between them and us.
  virtual void run_nothing() = 0;
  virtual bool is_connected() const noexcept = 0;
  // For destructors: from now on no helper uses the session.
  void end_recovery() noexcept { recovery_.give_up(); }

  const Options options_;
  std::shared_ptr<CancelTarget> target_;  // set before the first statement

 private:
  struct Shut {
    std::shared_ptr<CancelTarget> target;
    void operator()() const noexcept { target->shut_down(); }
  };
  template <class Call>
  Rows interruptible(const CancelToken& token, Call call);
  // By whoever cancels.
  void ask() noexcept;

  Answer read_until(Instant until) noexcept final;
  bool take_leftover(Instant until) noexcept final;
  bool roll_back(Instant until) noexcept final;

  bool is_broken_ = false;  // written while no helper has the session
  std::mutex mutex_;
  std::condition_variable returned_;
  bool is_in_call_ = false;  // guarded by mutex_
  // The canceller's, then the statement's.
  std::optional<CancelSource> patience_;
  std::optional<OnCancel<Shut>> at_end_of_patience_;
  Recovery recovery_;
};

}  // namespace weft::sql
