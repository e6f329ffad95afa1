// SPDX-License-Identifier: Apache-2.0
// RunningServer: what all concurrency models look like to who starts and ends them.
#pragma once

#include <weft/pool.h>

#include <chrono>
#include <memory>

#include "net/tls.h"
#include "serve/access_log.h"
#include "serve/counters.h"

namespace weft::serve {

class RunningServer {
 public:
  virtual ~RunningServer() = default;

  // Before start() for all connections; later for those that begin after it.
  virtual void use_tls(std::shared_ptr<const net::TlsContext> context) = 0;
  // Before start(). It outlives the server; none: nothing is logged.
  void log_to(AccessLog* log) noexcept { log_ = log; }
  AccessLog* log() const noexcept { return log_; }
  virtual void start() = 0;
  // Accepts no more, answers what was accepted, and ends. False: not all was answered in time.
  virtual bool drain(std::chrono::milliseconds grace) = 0;

  virtual Totals totals() const = 0;
  // Who runs the handlers; nullptr: each connection has its own.
  virtual const Pool* workers() const noexcept { return nullptr; }

 private:
  AccessLog* log_ = nullptr;
};

}  // namespace weft::serve
