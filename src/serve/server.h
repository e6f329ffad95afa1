// SPDX-License-Identifier: Apache-2.0
// Server: sockets to listen on, the reactors that own what is accepted there, and their pool.
#pragma once

#include <weft/pool.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "net/address.h"
#include "os/file.h"
#include "serve/reactor.h"
#include "serve/running_server.h"
#include "serve/site.h"
#include "serve/tls_source.h"

namespace weft::serve {

// What is accepted is answered soon, or refused.
inline PoolOptions for_servers() {
  PoolOptions options;
  options.overload = Overload::for_servers();
  return options;
}

struct ServerOptions {
  ReactorLimits limits;
  PoolOptions pool = for_servers();
  std::uint32_t reactors = 0;  // 0: one for each two CPUs of the budget, and at least one
};

class Server final : public RunningServer {
 public:
  // The site outlives it. Sockets that listen, and do not block.
  Server(ServerOptions options, Site& site, std::vector<os::Descriptor> listeners);
  // Ends at once, but waits for handlers that run.
  ~Server() override;
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  void use_tls(std::shared_ptr<const net::TlsContext> context) override {
    tls_.replace(std::move(context));
  }
  void start() override;
  bool drain(std::chrono::milliseconds grace) override;

  Totals totals() const override {
    Totals totals;
    for (const auto& reactor : reactors_) reactor->counters().add_to(totals);
    totals.body_bytes = memory_.used_bytes();
    return totals;
  }
  const Pool* workers() const noexcept override { return &pool_; }

 private:
  ServerOptions options_;
  TlsSource tls_;
  BodyMemory memory_;
  std::vector<os::Descriptor> listeners_;
  Pool pool_;
  std::vector<std::unique_ptr<Reactor>> reactors_;
};

}  // namespace weft::serve
