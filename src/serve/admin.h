// SPDX-License-Identifier: Apache-2.0
// AdminSite: how a server does, for those who look after it; on a port and threads of its own.
//
//   /healthz   200 as long as it lives
//   /readyz    200 while it accepts requests, 503 once it ends
//   /metrics   counters and quantiles, in the text format of Prometheus
#pragma once

#include <atomic>
#include <string>

#include "serve/running_server.h"
#include "serve/web_site.h"

namespace weft::serve {

class AdminSite final : public WebSite {
 public:
  // The server outlives it.
  explicit AdminSite(const RunningServer& server);

  void say_not_ready() noexcept { ready_.store(false); }

 private:
  const RunningServer& server_;
  std::atomic<bool> ready_{true};
};

// The text of /metrics.
std::string metrics_text(const RunningServer& server);

}  // namespace weft::serve
