// SPDX-License-Identifier: Apache-2.0
// Threads that are stuck, seen from outside.
#include "sched/stuck_calls.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "os/system_call.h"
#include "os/task_file.h"

// Functions that get stuck, in a section of their own: its bounds are the
// linker's.
extern "C" const char __start_weft_stuck[], __stop_weft_stuck[];

namespace weft::sched {
namespace {

std::vector<StuckCalls::Entry> entries_of(const StuckCalls& calls) {
  std::vector<StuckCalls::Entry> entries;
  calls.for_each([&](const StuckCalls::Entry& entry) { entries.push_back(entry); });
  return entries;
}

bool is_in_stuck_function(std::uintptr_t address) {
  return address > reinterpret_cast<std::uintptr_t>(__start_weft_stuck) &&
         address < reinterpret_cast<std::uintptr_t>(__stop_weft_stuck);
}

[[gnu::noinline, gnu::section("weft_stuck")]] long wait_by_libc(int descriptor) {
  char byte = 0;
  const long count = ::read(descriptor, &byte, 1);
  return count + byte;
}

[[gnu::noinline]] long read_by_ourselves(int descriptor) {
  char byte = 0;
  return os::call(SYS_read, descriptor, &byte, 1) + byte;
}

[[gnu::noinline, gnu::section("weft_stuck")]] long wait_by_ourselves(int descriptor) {
  const long count = read_by_ourselves(descriptor);
  return count + 1;  // no tail call
}

[[gnu::noinline, gnu::section("weft_stuck")]] long wait_through_pointer(int descriptor) {
  long (*volatile function)(int) = read_by_ourselves;
  const long count = function(descriptor);
  return count + 1;
}

[[gnu::noinline]] int fill_stack(int depth) {
  volatile char buffer[64] = {};
  return depth == 0 ? buffer[0] : fill_stack(depth - 1) + buffer[1];
}

// What lies in the buffer are return addresses of calls that are over.
[[gnu::noinline, gnu::section("weft_stuck")]] long wait_above_old_calls(int descriptor) {
  char buffer[4096];
  asm volatile("" : : "r"(buffer) : "memory");
  const long count = read_by_ourselves(descriptor);
  asm volatile("" : : "r"(buffer) : "memory");
  return count + 1;
}

[[gnu::noinline]] long wait_after_old_calls(int descriptor) {
  const int zero = fill_stack(100);
  const long count = wait_above_old_calls(descriptor);
  return count + zero;
}

// A thread that waits for a byte, until it goes.
class Stuck {
 public:
  explicit Stuck(long (*function)(int)) {
    EXPECT_EQ(::pipe(pipe_), 0);
    thread_ = std::thread([this, function] {
      thread_id_ = static_cast<std::uint32_t>(::gettid());
      function(pipe_[0]);
    });
    const std::string begin = std::to_string(SYS_read) + " ";
    char buffer[256];
    while (thread_id_ == 0 || !os::read_task_file(thread_id_, "syscall", buffer).starts_with(begin))
      std::this_thread::yield();
  }
  ~Stuck() {
    EXPECT_EQ(::write(pipe_[1], "x", 1), 1);
    thread_.join();
    ::close(pipe_[0]);
    ::close(pipe_[1]);
  }
  std::uint32_t thread_id() const { return thread_id_; }

 private:
  int pipe_[2] = {-1, -1};
  std::atomic<std::uint32_t> thread_id_{0};
  std::thread thread_;
};

class StuckIn : public ::testing::TestWithParam<long (*)(int)> {};

TEST_P(StuckIn, IsNamedWithItsCallers) {
  StuckCalls calls;
  const Stuck stuck(GetParam());
  fiber::Fiber fiber;
  fiber.id = 77;
  for (int i = 0; i < 3; ++i) calls.record(stuck.thread_id(), &fiber, true);
  const auto entries = entries_of(calls);
  ASSERT_EQ(entries.size(), 1U);
  EXPECT_EQ(entries[0].system_call, SYS_read);
  EXPECT_EQ(entries[0].count, 3U);
  EXPECT_EQ(entries[0].fiber_id, 77U);
  EXPECT_NE(entries[0].program_counter, 0U);
  ASSERT_GE(entries[0].frame_count, 2U);
  const auto* const end = entries[0].frames + entries[0].frame_count;
  EXPECT_NE(std::find_if(entries[0].frames, end, is_in_stuck_function), end);
  EXPECT_EQ(calls.unknown(), 0U);
}

INSTANTIATE_TEST_SUITE_P(Functions, StuckIn,
                         ::testing::Values(wait_by_libc, wait_by_ourselves, wait_through_pointer));

TEST(StuckCalls, TakesNoCallThatIsOverForOne) {
  StuckCalls calls;
  const Stuck stuck(wait_after_old_calls);
  calls.record(stuck.thread_id(), nullptr, true);
  const auto entries = entries_of(calls);
  ASSERT_EQ(entries.size(), 1U);
  ASSERT_GE(entries[0].frame_count, 2U);
  const auto frame = std::find_if(std::begin(entries[0].frames), std::end(entries[0].frames),
                                  is_in_stuck_function);
  const auto caller = reinterpret_cast<std::uintptr_t>(&wait_after_old_calls);
  ASSERT_LT(frame, std::end(entries[0].frames) - 1);
  EXPECT_GT(frame[1], caller);
  EXPECT_LT(frame[1], caller + 500);
}

TEST(StuckCalls, TellsPlacesApart) {
  StuckCalls calls;
  const Stuck one(wait_by_libc), other(wait_by_ourselves), again(wait_by_libc);
  for (int i = 0; i < 5; ++i) {
    calls.record(one.thread_id(), nullptr, true);
    calls.record(other.thread_id(), nullptr, true);
    calls.record(again.thread_id(), nullptr, true);
  }
  const auto entries = entries_of(calls);
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[0].count, 10U);
  EXPECT_EQ(entries[1].count, 5U);
  EXPECT_EQ(entries[1].fiber_id, 0U);
}

TEST(StuckCalls, SaysOfARunningThreadThatItIsInNoCall) {
  StuckCalls calls;
  std::atomic<std::uint32_t> thread_id{0};
  std::atomic<bool> stop{false};
  std::thread spinning([&] {
    thread_id = static_cast<std::uint32_t>(::gettid());
    while (!stop) {
    }
  });
  while (thread_id == 0) std::this_thread::yield();
  calls.record(thread_id, nullptr, true);
  calls.record(thread_id, nullptr, false);
  stop = true;
  spinning.join();
  const auto entries = entries_of(calls);
  ASSERT_EQ(entries.size(), 1U);
  EXPECT_EQ(entries[0].system_call, StuckCalls::no_system_call);
  EXPECT_EQ(entries[0].program_counter, 0U);
  EXPECT_EQ(entries[0].frame_count, 0U);
  EXPECT_EQ(entries[0].count, 2U);
}

TEST(StuckCalls, CountsThreadsThatAreGone) {
  StuckCalls calls;
  std::uint32_t thread_id = 0;
  std::thread([&] { thread_id = static_cast<std::uint32_t>(::gettid()); }).join();
  calls.record(thread_id, nullptr, true);
  EXPECT_TRUE(entries_of(calls).empty());
  EXPECT_EQ(calls.unknown(), 1U);
}

// Each caller is a place of its own.
template <int n>
[[gnu::noinline]] long wait_at(int descriptor) {
  char byte = 0;
  const long count = ::syscall(SYS_read, descriptor, &byte, 1);
  return count + byte + n;
}

TEST(StuckCalls, StopsAtTheSizeOfItsTable) {
  constexpr int places = StuckCalls::most_sites + 3;
  StuckCalls calls;
  []<int... n>(StuckCalls & table, std::integer_sequence<int, n...>) {
    (table.record(Stuck(wait_at<n>).thread_id(), nullptr, true), ...);
  }
  (calls, std::make_integer_sequence<int, places>{});
  EXPECT_EQ(entries_of(calls).size(), StuckCalls::most_sites);
  EXPECT_EQ(calls.unknown(), 3U);
}

TEST(StuckCalls, IsReadWhileItGrows) {
  StuckCalls calls;
  std::atomic<bool> stop{false};
  std::thread reader([&] {
    while (!stop) {
      calls.for_each([](const StuckCalls::Entry& entry) {
        EXPECT_EQ(entry.system_call, SYS_read);
        EXPECT_NE(entry.frames[0], 0U);
        EXPECT_GE(entry.count, 1U);
      });
    }
  });
  {
    const Stuck one(wait_by_libc), other(wait_by_ourselves), third(wait_through_pointer);
    for (int i = 0; i < 100; ++i) {
      calls.record(one.thread_id(), nullptr, true);
      calls.record(other.thread_id(), nullptr, true);
      calls.record(third.thread_id(), nullptr, true);
    }
  }
  stop = true;
  reader.join();
}

TEST(SystemCallName, KnowsTheCommonOnes) {
  EXPECT_STREQ(system_call_name(SYS_read), "read");
  EXPECT_STREQ(system_call_name(SYS_io_uring_enter), "io_uring_enter");
  EXPECT_EQ(system_call_name(SYS_getpid), nullptr);
  EXPECT_EQ(system_call_name(StuckCalls::no_system_call), nullptr);
}

TEST(TaskFile, FindsTheStartTimeBehindAnyName) {
  const std::string rest = " S 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 777 23 24";
  EXPECT_EQ(os::start_time_ticks("1 (a) b) 2)" + rest), 777U);
  EXPECT_EQ(os::start_time_ticks("1 (x)" + rest), 777U);
  EXPECT_EQ(os::start_time_ticks("1 (x) S 4 5"), 0U);
  EXPECT_EQ(os::start_time_ticks(""), 0U);
}

}  // namespace
}  // namespace weft::sched
