// SPDX-License-Identifier: Apache-2.0
// A stuck thread, recorded by the engine and told in words.
#include "symbols/report.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "os/task_file.h"

namespace weft::symbols {
namespace {

using sched::StuckCalls;

constexpr int line_of_the_call = __LINE__ + 3;
[[gnu::noinline]] int wait_for_data(int descriptor) {
  char byte = 0;
  const long count = ::read(descriptor, &byte, 1);
  return static_cast<int>(count) + byte;
}

std::string described(const StuckCalls& calls) {
  auto symbolizer = Symbolizer::open_self();
  EXPECT_TRUE(symbolizer.ok());
  std::string text;
  calls.for_each([&](const StuckCalls::Entry& entry) { text += describe(entry, *symbolizer); });
  return text;
}

TEST(Report, NamesTheCallAndWhoMadeIt) {
  int ends[2] = {-1, -1};
  ASSERT_EQ(::pipe(ends), 0);
  std::atomic<std::uint32_t> thread_id{0};
  std::thread thread([&] {
    thread_id = static_cast<std::uint32_t>(::gettid());
    wait_for_data(ends[0]);
  });
  char buffer[256];
  const std::string read_call = std::to_string(SYS_read) + " ";
  while (thread_id == 0 || !os::read_task_file(thread_id, "syscall", buffer).starts_with(read_call))
    std::this_thread::yield();
  StuckCalls calls;
  for (int i = 0; i < 3; ++i) calls.record(thread_id, nullptr, true);
  const std::string text = described(calls);
  EXPECT_EQ(::write(ends[1], "x", 1), 1);
  thread.join();
  ::close(ends[0]);
  ::close(ends[1]);

  const std::string first_line = text.substr(0, text.find('\n'));
  EXPECT_TRUE(first_line.starts_with("read(2) called from ")) << text;
  EXPECT_NE(first_line.find("wait_for_data(int) at report_test.cc:" +
                            std::to_string(line_of_the_call) + ", 3 times"),
            std::string::npos)
      << text;
  const std::string second_line = text.substr(
      first_line.size() + 1, text.find('\n', first_line.size() + 1) - first_line.size() - 1);
  EXPECT_NE(second_line.find("read"), std::string::npos) << text;
}

std::string described(const StuckCalls::Entry& entry) {
  auto symbolizer = Symbolizer::open_self();
  EXPECT_TRUE(symbolizer.ok());
  return describe(entry, *symbolizer);
}

TEST(Report, NamesOtherKindsOfBeingStuck) {
  EXPECT_EQ(described(StuckCalls::Entry{.count = 1}), "running without a stop, once\n");
  EXPECT_EQ(described(StuckCalls::Entry{.program_counter = 17, .count = 2}),
            "waiting for memory called from 0x10, 2 times\n  0x10\n");
  EXPECT_EQ(described(StuckCalls::Entry{.system_call = 9999, .program_counter = 17, .count = 2}),
            "system call 9999 called from 0x10, 2 times\n  0x10\n");
}

}  // namespace
}  // namespace weft::symbols
