// SPDX-License-Identifier: Apache-2.0
// AdminSite: how a server does, for those who look after it; on a port and threads of its own.
//
//   /              the dashboard: a page with its style and scripts, and nothing from elsewhere
//   /history.json  what it draws: the last ten minutes; ?since=N gives rows behind number N
//   /healthz       200 as long as it lives
//   /readyz        200 while it accepts requests, 503 once it ends
//   /metrics       counters, gauges and histograms, in the text format of Prometheus
//
// It answers GET and HEAD alone, and changes nothing. Who listens on loopback alone is asked by an
// address or as localhost: another name is a page elsewhere whose name was made to lead here.
#pragma once

#include <atomic>
#include <functional>
#include <string_view>

#include "serve/about.h"
#include "serve/machine.h"
#include "serve/prometheus_text.h"
#include "serve/running_server.h"
#include "serve/sampler.h"
#include "serve/web_site.h"

namespace weft::serve {

enum class AskedBy : unsigned char {
  any_name,
  address,  // or localhost
};

// Families besides those of the server; called on several threads.
using MoreMetrics = std::function<void(PrometheusText&)>;

class AdminSite final : public WebSite {
 public:
  // The server outlives it.
  AdminSite(About about, const RunningServer& server, AskedBy asked_by, MoreMetrics more = {});

  void say_draining() noexcept { draining_.store(true); }

  bool answer_at_once(const Request&, Response&) override { return false; }
  void answer(const Request& request, Response& response) override;

 private:
  void add_dashboard();
  void add_numbers();

  const About about_;
  const RunningServer& server_;
  const AskedBy asked_by_;
  const MoreMetrics more_;
  std::atomic<bool> draining_{false};
  Machine machine_;
  Sampler sampler_;
};

// Of "host:port": whether it is an address, or localhost.
bool is_address_or_localhost(std::string_view authority) noexcept;

}  // namespace weft::serve
