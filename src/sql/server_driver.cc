// SPDX-License-Identifier: Apache-2.0
// Statements on servers, and how they end.
#include "sql/server_driver.h"

#include <exception>

namespace weft::sql {

template <class Call>
Rows ServerDriver::interruptible(const CancelToken& token, Call call) {
  const auto set_in_call = [this](bool is_in_call) {
    const std::scoped_lock guard(mutex_);
    is_in_call_ = is_in_call;
    returned_.notify_all();
  };
  set_in_call(true);
  Rows rows;
  std::exception_ptr thrown;
  {
    const OnCancel on_cancel(token, [this] { ask(); });
    try {
      rows = call();
    } catch (...) {
      thrown = std::current_exception();
    }
  }
  at_end_of_patience_.reset();
  const bool was_shut = patience_ && patience_->token().is_cancelled();
  patience_.reset();
  if (was_shut || !is_connected()) is_broken_ = true;
  set_in_call(false);  // from now on the helper may have the session
  if (thrown) std::rethrow_exception(thrown);
  return rows;
}

void ServerDriver::ask() noexcept {
  try {
    recovery_.begin(target_, *this);
    patience_.emplace(std::chrono::steady_clock::now() + options_.cancel_patience);
    at_end_of_patience_.emplace(patience_->token(), Shut{target_});
  } catch (const std::exception&) {
    target_->shut_down();  // no thread, no memory: then there is no patience
  }
}

Rows ServerDriver::execute(const std::string& statement, std::span<const Value> parameters,
                           const CancelToken& token) {
  return interruptible(token, [&] { return run(statement, parameters); });
}

void ServerDriver::control(const char* statement, const CancelToken& token) {
  interruptible(token, [&] {
    run_plain(statement);
    return Rows();
  });
}

ServerDriver::Answer ServerDriver::read_until(Instant until) noexcept {
  std::unique_lock lock(mutex_);
  if (!returned_.wait_until(lock, until, [&] { return !is_in_call_; })) return Answer::pending;
  return is_broken_ ? Answer::lost : Answer::whole;
}

// False: it went wrong in another way than by the cancel.
bool ServerDriver::take_leftover(Instant) noexcept {
  try {
    run_nothing();
    return true;
  } catch (const Error& error) {
    return error.kind() == ErrorKind::cancelled && is_connected();
  } catch (const std::exception&) {
    return false;
  }
}

bool ServerDriver::roll_back(Instant) noexcept {
  try {
    if (is_in_transaction()) run_plain("ROLLBACK");
    return is_connected();
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace weft::sql
