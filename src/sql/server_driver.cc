// SPDX-License-Identifier: Apache-2.0
// Statements on servers, and how they end.
#include "sql/server_driver.h"

#include <exception>

namespace weft::sql {

template <class Call>
Rows ServerDriver::interruptible(const CancelToken& token, Call call) {
  Interruption interruption(*helpers_, target_, token, options_.cancel_grace);
  Rows rows;
  std::exception_ptr thrown;
  try {
    rows = call();
  } catch (...) {
    thrown = std::current_exception();
  }
  const bool is_sent = interruption.settle() == Interruption::Outcome::sent;
  const bool is_clean = is_connected() && (!is_sent || takes_leftover());
  if (!interruption.finish() || !is_clean) is_broken_ = true;
  if (thrown) std::rethrow_exception(thrown);
  return rows;
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

// False: it went wrong in another way than by the cancel.
bool ServerDriver::takes_leftover() noexcept {
  try {
    run_nothing();
    return true;
  } catch (const Error& error) {
    return error.kind() == ErrorKind::cancelled && is_connected();
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace weft::sql
