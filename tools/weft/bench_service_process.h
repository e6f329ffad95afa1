// SPDX-License-Identifier: Apache-2.0
// A service under measurement, while it runs.
#pragma once

#include <sys/types.h>

#include <string>
#include <utility>

#include "bench_http_proc.h"
#include "bench_service_samples.h"
#include "os/file.h"
#include "trial/background_process.h"

namespace weft::tool {

// A service that answers.
class RunningService {
 public:
  RunningService(trial::BackgroundProcess process, ServicePlaces places, const std::string& target,
                 bool waits)
      : process_(std::move(process)),
        origin_("http://" + places.http),
        grpc_(std::move(places.grpc)),
        url_(origin_ + target),
        waits_(waits) {}

  pid_t id() const noexcept { return process_.id(); }
  const std::string& origin() const noexcept { return origin_; }
  // Where gRPC is; empty: nowhere.
  const std::string& grpc() const noexcept { return grpc_; }
  // What is asked.
  const std::string& url() const noexcept { return url_; }
  bool waits() const noexcept { return waits_; }
  const trial::BackgroundProcess& process() const noexcept { return process_; }
  double threads() const {
    const auto text = os::read_text("/proc/" + std::to_string(id()) + "/status");
    return text ? parse_field(*text, "Threads").value_or(0) : 0;
  }

 private:
  trial::BackgroundProcess process_;
  std::string origin_;
  std::string grpc_;
  std::string url_;
  bool waits_;
};

}  // namespace weft::tool
