// SPDX-License-Identifier: Apache-2.0
// Ctrl-C that ends a benchmark by unwinding, so that its cgroups, servers and files go with it.
#pragma once

#include <signal.h>

#include "base/result.h"

namespace weft::bench {

// While it lives, SIGINT, SIGTERM and SIGHUP are remembered instead of ending the process. One at a
// time.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  // The signal that came, or 0.
  static int signal() noexcept;

 private:
  struct sigaction before_[3] = {};
};

// An Error with code EINTR once a signal has come; to be asked between steps.
base::Status check_interrupt();

}  // namespace weft::bench
