// SPDX-License-Identifier: Apache-2.0
// A fiber that blocks the only worker in a call of its own: the others run on, and it is named.
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <string>

#include "sched/io.h"
#include "sched/monitor.h"
#include "sched/park.h"
#include "sched/runtime.h"
#include "stress/fibers.h"
#include "symbols/report.h"

namespace weft {
namespace {

using stress::Joinable;

[[gnu::noinline]] long wait_on_a_pipe(int descriptor) {
  char byte = 0;
  const long result = ::syscall(SYS_read, descriptor, &byte, 1);  // this very line
  asm volatile("" ::: "memory");                                  // no tail call
  return result;
}

TEST(StuckFiberTest, OthersRunOnAndTheReportNamesTheCallAndTheLine) {
  int pipe[2];
  ASSERT_EQ(::pipe(pipe), 0);
  sched::Runtime runtime({.workers = 1});
  std::atomic<bool> blocked{false};
  Joinable stuck(runtime, [&] {
    sched::be_away(fiber::self());
    blocked = true;
    EXPECT_EQ(wait_on_a_pipe(pipe[0]), 1);
  });
  while (!blocked) ::usleep(100);
  int turns = 0;
  Joinable other(runtime, [&] {
    for (; turns < 1'000; ++turns) sched::yield();
  });
  other.join();  // or never
  EXPECT_EQ(turns, 1'000);
  EXPECT_EQ(runtime.monitor()->relieved(), 1);

  auto symbolizer = symbols::Symbolizer::open(static_cast<int>(::getpid()));
  ASSERT_TRUE(symbolizer.ok());
  std::string report;
  runtime.monitor()->stuck_calls().for_each([&](const sched::StuckCalls::Entry& entry) {
    report += symbols::describe(entry, *symbolizer) + "\n";
  });
  EXPECT_NE(report.find("read(2)"), std::string::npos) << report;
  EXPECT_NE(report.find("wait_on_a_pipe"), std::string::npos) << report;
  EXPECT_NE(report.find("stuck_fiber_test.cc:25"), std::string::npos) << report;

  ASSERT_EQ(::write(pipe[1], "x", 1), 1);
  stuck.join();
  ::close(pipe[0]);
  ::close(pipe[1]);
}

// Its peer is always faster: it never has to wait, and the only worker is its own.
TEST(StuckFiberTest, WhoNeverHasToWaitGivesWay) {
  int pipe[2];
  ASSERT_EQ(::pipe(pipe), 0);
  sched::RuntimeOptions options{.workers = 1};
  options.monitor.patience_running = std::chrono::hours{1};  // relief is not what helps here
  sched::Runtime runtime(options);
  std::atomic<bool> goes_on{true};
  std::atomic<bool> begun{false};
  Joinable busy(runtime, [&] {
    sched::be_away(fiber::self());
    char byte = 0;
    while (goes_on) {
      EXPECT_EQ(sched::write(pipe[1], &byte, 1), 1);
      EXPECT_EQ(sched::read(pipe[0], &byte, 1), 1);
      begun = true;
    }
  });
  while (!begun) ::usleep(100);
  Joinable other(runtime, [&] {
    sched::be_away(fiber::self());
    goes_on = false;
  });
  other.join();  // or never
  busy.join();
  EXPECT_EQ(runtime.monitor()->relieved(), 0);
  ::close(pipe[0]);
  ::close(pipe[1]);
}

}  // namespace
}  // namespace weft
