// SPDX-License-Identifier: Apache-2.0
// A check that fails.
#include "os/check.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string_view>

namespace weft::os {
namespace {

// Threads that fail at the same time would otherwise mix their lines.
TEST(CheckTest, TheLineIsOneWrite) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_DIRECT), 0);  // a read gives what one write gave
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(ends[1], 2);
    fail_check("weft: nothing holds");
  }
  char text[64];
  const ssize_t bytes = ::read(ends[0], text, sizeof(text));
  ASSERT_GT(bytes, 0);
  EXPECT_EQ(std::string_view(text, static_cast<std::size_t>(bytes)), "weft: nothing holds\n");
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
  ::close(ends[0]);
  ::close(ends[1]);
}

}  // namespace
}  // namespace weft::os
