// SPDX-License-Identifier: Apache-2.0
// Work that is waited for until a time only, and lines that are written before it is too late.
#include "service/patience.h"

#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <weft/log.h>

#include <algorithm>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>

#include "service/last_line.h"

namespace weft::service {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

TEST(RunUntil, WaitsForWhatIsDoneInTime) {
  bool is_done = false;
  EXPECT_TRUE(run_until(Clock::now() + 1h, [&] { is_done = true; }));
  EXPECT_TRUE(is_done);
}

TEST(RunUntil, LeavesWhatIsNot) {
  const auto goes_on = std::make_shared<std::promise<void>>();
  const auto is_over = std::make_shared<std::promise<void>>();
  EXPECT_FALSE(run_until(Clock::now() + 1ms, [goes_on, is_over] {
    goes_on->get_future().wait();
    is_over->set_value();
  }));
  goes_on->set_value();
  is_over->get_future().wait();
}

TEST(RunUntil, ThrowsWhatTheWorkThrows) {
  EXPECT_THROW(run_until(Clock::now() + 1h, [] { throw std::runtime_error("no"); }),
               std::runtime_error);
}

TEST(LastLine, KnowsWhenAllLinesAreWritten) {
  for (const LogFormat format : {LogFormat::text, LogFormat::json}) {
    std::ostringstream text;
    const auto last = std::make_shared<LastLine>();
    const auto log = make_async_logger(
        "x", {std::make_shared<spdlog::sinks::ostream_sink_mt>(text), last}, format);
    for (int round = 1; round <= 20; ++round) {
      log->flush();  // that somebody else has asked for
      for (int i = 0; i < 49; ++i) log->info("line");
      ASSERT_TRUE(last->say(*log, "the end of " + std::to_string(round) + ".", 1h));
      const std::string written = text.str();
      EXPECT_EQ(std::ranges::count(written, '\n'), round * 50);
    }
  }
}

}  // namespace
}  // namespace weft::service
