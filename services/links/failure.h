// SPDX-License-Identifier: Apache-2.0
// Failure: what goes wrong, told once for both faces.
#pragma once

#include <exception>
#include <stdexcept>
#include <string>

namespace links {

enum class Problem {
  malformed,         // it cannot be read
  unsupported_type,  // it is not JSON
  too_large,
  invalid,  // it can be read, and is not allowed
  not_found,
  expired,
  taken,        // somebody else has the key
  reused,       // an idempotency key of another request
  unavailable,  // of the database; another try may do
  late,         // the database took too long
  internal,     // our fault, or the schema's
};

// What a problem is called in JSON, and on the two wires. The gRPC code is a number, so that who
// speaks HTTP alone needs nothing of gRPC's.
struct Meaning {
  const char* name;
  unsigned http_status;
  int grpc_code;
};
Meaning meaning_of(Problem problem) noexcept;

class Failure : public std::runtime_error {
 public:
  // The text is for the client.
  Failure(Problem problem, const std::string& text) : std::runtime_error(text), problem_(problem) {}
  Problem problem() const noexcept { return problem_; }

 private:
  Problem problem_;
};

// What was thrown, for the client, and what of it is for the log alone.
struct Told {
  Problem problem;
  std::string for_client;
  std::string for_log;  // empty: it was the client's own doing
};

// Rethrows weft::Cancelled: what that means is the kit's to say.
Told tell(const std::exception_ptr& thrown);

}  // namespace links
