// SPDX-License-Identifier: Apache-2.0
// Counters: what a reactor and the workers that serve its connections have done.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/atomic.h"
#include "measure/histogram.h"

namespace weft::serve {

// Written by several threads.
class Count {
 public:
  void add(std::uint64_t count = 1) noexcept { value_.fetch_add(count, std::memory_order_relaxed); }
  void take_off(std::uint64_t count = 1) noexcept {
    value_.fetch_sub(count, std::memory_order_relaxed);
  }
  std::uint64_t value() const noexcept { return value_.load(std::memory_order_relaxed); }

 private:
  atomic<std::uint64_t> value_{0};
};

// The same at one moment, of several together.
struct Totals {
  std::uint64_t accepted = 0, open = 0, refused = 0, failed = 0, overloaded = 0, at_once = 0;
  std::array<std::uint64_t, 6> responses_by_kind{};
  std::uint64_t body_bytes = 0;  // of requests, held now
  measure::Snapshot took;
};

struct Counters {
  Count accepted;                          // connections
  Count open;                              // connections, now
  Count refused;                           // connections, for a limit
  Count failed;                            // handlers that threw
  Count overloaded;                        // requests that were answered 503 for want of room
  Count at_once;                           // requests that needed no worker
  std::array<Count, 6> responses_by_kind;  // by the first digit of the status
  measure::Histogram took;                 // from the whole request to its response; no 503

  void count(unsigned status) noexcept { responses_by_kind[status / 100 % 6].add(); }
  // A request that is turned away takes no time, and would make those that are served look fast.
  static bool is_timed(unsigned status) noexcept { return status != 503; }
  void add_to(Totals& totals) const noexcept {
    totals.accepted += accepted.value();
    totals.open += open.value();
    totals.refused += refused.value();
    totals.failed += failed.value();
    totals.overloaded += overloaded.value();
    totals.at_once += at_once.value();
    for (std::size_t i = 0; i < responses_by_kind.size(); ++i) {
      totals.responses_by_kind[i] += responses_by_kind[i].value();
    }
    totals.took.add(took.snapshot());
  }
};

}  // namespace weft::serve
