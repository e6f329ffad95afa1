// SPDX-License-Identifier: Apache-2.0
// A flag that a signal handler sets.
#include "bench/interrupt.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <string>

namespace weft::bench {
namespace {

constexpr std::array signals = {SIGINT, SIGTERM, SIGHUP};

// A signal handler reaches only what is global.
volatile std::sig_atomic_t arrived = 0;

void remember(int signal) {
  arrived = signal;
}

}  // namespace

InterruptGuard::InterruptGuard() {
  arrived = 0;
  struct sigaction action = {};
  action.sa_handler = remember;  // without SA_RESTART: what waits is to be woken
  for (std::size_t i = 0; i < signals.size(); ++i) {
    sigaction(signals[i], nullptr, &before_[i]);
    // What is ignored, as under nohup, stays so.
    if (before_[i].sa_handler != SIG_IGN) sigaction(signals[i], &action, nullptr);
  }
}

InterruptGuard::~InterruptGuard() {
  for (std::size_t i = 0; i < signals.size(); ++i) sigaction(signals[i], &before_[i], nullptr);
  arrived = 0;
}

int InterruptGuard::signal() noexcept {
  return arrived;
}

base::Status check_interrupt() {
  if (arrived == 0) return base::Done{};
  return base::Error{"interrupted by signal " + std::to_string(arrived), EINTR};
}

}  // namespace weft::bench
