// SPDX-License-Identifier: Apache-2.0
// NoServer: what the admin port looks at where there is no HTTP.
#pragma once

#include "serve/running_server.h"

namespace weft::service {

class NoServer final : public serve::RunningServer {
 public:
  void use_tls(std::shared_ptr<const net::TlsContext>) override {}
  void start() override {}
  bool drain(std::chrono::milliseconds) override { return true; }
  serve::Totals totals() const override { return {}; }
};

}  // namespace weft::service
