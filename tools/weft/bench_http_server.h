// SPDX-License-Identifier: Apache-2.0
// A server that runs: started on its CPU, asked until it answers, watched, and ended for sure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "bench_http_peers.h"
#include "os/file.h"
#include "trial/background_process.h"

namespace weft::tool {

class RunningHttpServer {
 public:
  // Its settings and its log lie in a folder of `directory`. Ready when it has answered.
  static base::Result<RunningHttpServer> start(const HttpPeers& peers, HttpServerKind kind,
                                               const std::vector<std::string>& options,
                                               const std::vector<int>& cpus,
                                               const std::string& directory);

  std::uint16_t port() const noexcept { return port_; }
  std::string url(const std::string& path) const {
    return "http://127.0.0.1:" + std::to_string(port_) + path;
  }
  const trial::BackgroundProcess& process() const noexcept { return process_; }

  // Of all its processes together.
  double cpu_seconds() const;
  double memory_bytes() const;  // its share of what it shares (PSS)
  double threads() const;
  // A number of its /metrics; nothing where it has none.
  std::optional<double> metric(std::string_view name) const;

 private:
  RunningHttpServer(trial::BackgroundProcess process, std::uint16_t port, std::uint16_t admin_port)
      : process_(std::move(process)), port_(port), admin_port_(admin_port) {}

  trial::BackgroundProcess process_;
  std::uint16_t port_;
  std::uint16_t admin_port_;  // 0: none
};

// Connections that are kept open and say nothing, after one request each.
class IdleConnections {
 public:
  // The Error says how many there are.
  static base::Result<IdleConnections> open(std::uint16_t port, unsigned count);
  std::size_t size() const noexcept { return sockets_.size(); }

 private:
  std::vector<os::Descriptor> sockets_;
};

}  // namespace weft::tool
