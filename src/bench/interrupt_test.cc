// SPDX-License-Identifier: Apache-2.0
// A signal is remembered while the guard lives, and the handler of before comes back.
#include "bench/interrupt.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <csignal>

namespace weft::bench {
namespace {

TEST(Interrupt, IsRememberedWhileTheGuardLives) {
  struct sigaction before = {};
  sigaction(SIGTERM, nullptr, &before);
  {
    const InterruptGuard guard;
    EXPECT_TRUE(check_interrupt());
    raise(SIGTERM);
    EXPECT_EQ(InterruptGuard::signal(), SIGTERM);
    const auto status = check_interrupt();
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, EINTR);
  }
  struct sigaction after = {};
  sigaction(SIGTERM, nullptr, &after);
  EXPECT_EQ(after.sa_handler, before.sa_handler);

  EXPECT_TRUE(check_interrupt()) << "what comes next starts afresh";
}

TEST(Interrupt, LeavesIgnoredSignalsIgnored) {
  const auto before = std::signal(SIGHUP, SIG_IGN);
  {
    const InterruptGuard guard;
    raise(SIGHUP);
    EXPECT_EQ(InterruptGuard::signal(), 0);
  }
  std::signal(SIGHUP, before);
}

}  // namespace
}  // namespace weft::bench
