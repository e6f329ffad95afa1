// SPDX-License-Identifier: Apache-2.0
// The text of /history.json: what the dashboard draws.
//
//   {"version", "policy", "listens", "began": seconds since 1970, "up": seconds, "state": "serving"
//    or "draining", "period": seconds, "most_rows", "newest": number, "missing": {what: why},
//    "pressure_scope", "memory_budget": bytes, "series": [name…], "rows": [[seconds since `began`,
//    value or null…]…]}
#pragma once

#include <cstdint>
#include <string>

#include "serve/about.h"
#include "serve/history.h"

namespace weft::serve {

struct ServerState {
  std::chrono::steady_clock::time_point now;
  bool is_draining = false;
};

// Rows that are newer than that.
std::string history_json(const About& about, const ServerState& state, const History& history,
                         std::uint64_t after);

}  // namespace weft::serve
