// SPDX-License-Identifier: Apache-2.0
// Numbers come back from children, failures come back as what they are, and system calls are
// counted one by one.
#include "bench/child.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <stdexcept>

namespace weft::bench {
namespace {

TEST(Child, GivesItsNumbersAndLeavesTheParentAlone) {
  int touched = 0;
  const pid_t parent = getpid();
  const auto numbers = run_in_child([&]() -> base::Result<Numbers> {
    touched = 1;
    return Numbers{{1.5, -2}, {}, {getpid() == parent ? 1.0 : 0.0}};
  });
  ASSERT_TRUE(numbers) << numbers.error().message;
  EXPECT_EQ(*numbers, (Numbers{{1.5, -2}, {}, {0}}));
  EXPECT_EQ(touched, 0);
}

TEST(Child, GivesMoreNumbersThanAPipeHolds) {
  const auto numbers = run_in_child(
      []() -> base::Result<Numbers> { return Numbers{std::vector<double>(100'000, 0.25)}; });
  ASSERT_TRUE(numbers) << numbers.error().message;
  EXPECT_EQ((*numbers)[0].size(), 100'000u);
  EXPECT_EQ((*numbers)[0].back(), 0.25);
}

TEST(Child, FailuresComeBack) {
  EXPECT_EQ(run_in_child([]() -> base::Result<Numbers> { return base::Error{"no quota"}; })
                .error()
                .message,
            "no quota");
  EXPECT_EQ(run_in_child([]() -> base::Result<Numbers> { throw std::runtime_error("oh"); })
                .error()
                .message,
            "unexpected exception: oh");
  const auto killed = run_in_child([]() -> base::Result<Numbers> {
    raise(SIGKILL);
    return Numbers{};
  });
  EXPECT_EQ(killed.error().message, "the measuring child was ended by signal 9");
  EXPECT_EQ(run_in_child([]() -> base::Result<Numbers> { _exit(3); }).error().message,
            "the measuring child could not answer");
}

TEST(SystemCalls, AreCountedBySection) {
  const auto traced = count_system_calls([]() -> base::Result<Numbers> {
    begin_section();
    for (int i = 0; i < 3; ++i) syscall(SYS_getpid);
    end_section();
    syscall(SYS_getpid);  // between sections: nobody's
    begin_section();
    end_section();
    begin_section();
    syscall(SYS_getppid);  // unmarked: one like any other
    end_section();
    return Numbers{{7}};
  });
  ASSERT_TRUE(traced) << traced.error().message;
  EXPECT_EQ(traced->system_calls, (std::vector<std::uint64_t>{3, 0, 1}));
  EXPECT_EQ(traced->numbers, (Numbers{{7}}));
}

TEST(SystemCalls, TheTracedChildGetsItsOwnSignals) {
  const auto traced = count_system_calls([]() -> base::Result<Numbers> {
    static volatile std::sig_atomic_t seen = 0;
    std::signal(SIGUSR1, [](int) { seen = 1; });
    raise(SIGUSR1);
    return Numbers{{static_cast<double>(seen)}};
  });
  ASSERT_TRUE(traced) << traced.error().message;
  EXPECT_EQ(traced->numbers, (Numbers{{1}}));
}

TEST(SystemCalls, ADyingTracedChildIsAnError) {
  const auto traced = count_system_calls([]() -> base::Result<Numbers> {
    raise(SIGKILL);
    return Numbers{};
  });
  ASSERT_FALSE(traced);
  EXPECT_EQ(traced.error().message, "the measuring child was ended by signal 9");
}

}  // namespace
}  // namespace weft::bench
