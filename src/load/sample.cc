// SPDX-License-Identifier: Apache-2.0
// Names of outcomes.
#include "load/sample.h"

namespace weft::load {

const char* name_of(Outcome outcome) noexcept {
  constexpr std::array<const char*, outcome_count> names = {
      "unfinished", "good",  "unavailable", "client_error", "server_error",  "timeout",
      "refused",    "reset", "cut",         "malformed",    "no_connection", "tls_failed"};
  return names[static_cast<std::size_t>(outcome)];
}

Outcome outcome_of_status(unsigned status) noexcept {
  if (status == 503) return Outcome::unavailable;
  if (status >= 500) return Outcome::server_error;
  if (status >= 400) return Outcome::client_error;
  return Outcome::good;
}

}  // namespace weft::load
