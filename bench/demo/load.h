// SPDX-License-Identifier: Apache-2.0
// The load on the plain server: many connections, each of which sends the next request as soon as
// the last one is answered.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"

namespace weft::demo {

struct LoadOptions {
  std::string socket_path;
  unsigned connections = 64;
  std::chrono::milliseconds warm_up{200};
  std::chrono::milliseconds length{2'000};
  // Called with all connections open, as the part that counts begins and ends.
  std::function<void()> at_begin;
  std::function<void()> at_end;
};

struct LoadResult {
  std::vector<double> milliseconds;  // of each request that began and ended in the part that counts
  double seconds = 0;
};

// In the calling thread. An Error where the server breaks a connection, or a signal came.
base::Result<LoadResult> generate_load(const LoadOptions& options);

// Whether the text is a whole response, of the form that our server gives.
bool is_whole_response(std::string_view text);

}  // namespace weft::demo
