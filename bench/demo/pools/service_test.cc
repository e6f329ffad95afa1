// SPDX-License-Identifier: Apache-2.0
// The service does every job once, not before its time, and answers pings until the end.
#include "service.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "work.h"

namespace weft::demo {
namespace {

using std::chrono::milliseconds;

ServiceOptions options_with(unsigned threads) {
  ServiceOptions options;
  options.threads = threads;
  options.job_iterations = 1'000;
  options.ping_iterations = 10;
  for (int job = 0; job < 40; ++job) options.job_starts.push_back(milliseconds(5 * job));
  return options;
}

TEST(Service, DoesEveryJobAndAnswersPings) {
  for (const unsigned threads : {1U, 4U, 64U}) {
    const Measurement measured = serve(options_with(threads));
    EXPECT_EQ(measured.threads, threads);
    ASSERT_EQ(measured.job_milliseconds.size(), 40U);
    const auto [fastest, slowest] =
        std::minmax_element(measured.job_milliseconds.begin(), measured.job_milliseconds.end());
    EXPECT_GT(*fastest, 0);  // not before its time
    EXPECT_GE(measured.seconds, 0.195);
    EXPECT_LE(*slowest, measured.seconds * 1'000);
    EXPECT_GE(measured.ping_milliseconds.size(), 39U);  // one each 5 ms while there are jobs
  }
}

// Two jobs that are due at once, on one thread: the second waits for the first.
TEST(Service, CountsFromTheIntendedStart) {
  ServiceOptions options = options_with(1);
  options.job_starts = {milliseconds(0), milliseconds(0), milliseconds(0)};
  options.job_iterations = calibrate(milliseconds(5));
  const Measurement measured = serve(options);
  ASSERT_EQ(measured.job_milliseconds.size(), 3U);
  EXPECT_GT(measured.job_milliseconds[1], measured.job_milliseconds[0]);
  EXPECT_GT(measured.job_milliseconds[2], measured.job_milliseconds[1]);
}

TEST(Service, CalibratedWorkScalesWithItsTarget) {
  const auto small = static_cast<double>(calibrate(milliseconds(1)));
  const auto large = static_cast<double>(calibrate(milliseconds(10)));
  EXPECT_GT(large / small, 5);
  EXPECT_LT(large / small, 20);
}

}  // namespace
}  // namespace weft::demo
