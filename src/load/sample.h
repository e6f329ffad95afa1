// SPDX-License-Identifier: Apache-2.0
// Sample: what became of one request. Every request of a run has one, however it ended.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace weft::load {

using std::chrono::nanoseconds;

enum class Outcome : std::uint8_t {
  unfinished,     // the run was stopped before its turn, or before its end
  good,           // a whole answer, 200 to 399
  unavailable,    // a whole answer: 503
  client_error,   // a whole answer: 400 to 499
  server_error,   // a whole answer: 500 to 599 but 503
  timeout,        // no whole answer in time
  refused,        // nobody listens
  reset,          // the connection was reset, or closed before the first byte of the answer
  cut,            // the answer ended before its end
  malformed,      // not HTTP/1.1
  no_connection,  // anything else that keeps a connection from being made
  tls_failed,     // no handshake, or a certificate that is not trusted
};
inline constexpr std::size_t outcome_count = 12;
const char* name_of(Outcome outcome) noexcept;

constexpr bool is_answered(Outcome outcome) noexcept {
  return outcome >= Outcome::good && outcome <= Outcome::server_error;
}
Outcome outcome_of_status(unsigned status) noexcept;

// Times count from the start of the run. `begun` is when the generator took the request up: behind
// `intended` by its slip. Waiting for a free connection and connecting come after it.
struct Sample {
  nanoseconds intended{0};
  nanoseconds begun{0};
  nanoseconds sent{0};        // the first byte of the request; 0: never
  nanoseconds first_byte{0};  // of the answer; 0: none came
  nanoseconds end{0};         // the last byte, or the end of waiting for it
  nanoseconds connect{0};     // how long connecting took, with TLS; 0: the connection was there
  std::uint16_t status = 0;
  std::uint16_t phase = 0;
  std::uint16_t request = 0;  // which one of the plan
  Outcome outcome = Outcome::unfinished;
};

using Counts = std::array<std::uint64_t, outcome_count>;

}  // namespace weft::load
