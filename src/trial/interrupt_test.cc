// SPDX-License-Identifier: Apache-2.0
// A signal ends what was left to run, and main answers as a shell would.
#include "trial/interrupt.h"

#include <gtest/gtest.h>

#include <csignal>
#include <stdexcept>

#include "bench/interrupt.h"

namespace weft::trial {
namespace {

TEST(Interrupt, ExitCodesTellHowItEnded) {
  const bench::InterruptGuard guard;
  EXPECT_EQ(exit_code_for("test", base::Done{}), 0);
  EXPECT_EQ(exit_code_for("test", base::Error{"no"}), 1);
  std::raise(SIGTERM);
  EXPECT_EQ(exit_code_for("test", base::Error{"interrupted"}), 128 + SIGTERM);
}

TEST(Interrupt, ExceptionIsAnExitCode) {
  EXPECT_EQ(run_main("test", [] { return 7; }), 7);
  EXPECT_EQ(run_main("test", []() -> int { throw std::runtime_error("thrown"); }), 1);
}

TEST(Interrupt, SignalEndsWhatRuns) {
  const bench::InterruptGuard guard;
  std::raise(SIGINT);
  EXPECT_FALSE(sandbox::run({"sleep", "600"}, interruptible(std::chrono::minutes(5))));
}

}  // namespace
}  // namespace weft::trial
