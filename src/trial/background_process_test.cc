// SPDX-License-Identifier: Apache-2.0
// A program in the background is started, waited for and ended, and quoted where it fails.
#include "trial/background_process.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <optional>

#include "bench/rivals.h"

namespace weft::trial {
namespace {

using std::chrono::seconds;

constexpr seconds generous{60};

class BackgroundProcessTest : public testing::Test {
 protected:
  void SetUp() override {
    auto made = bench::TemporaryDirectory::create();
    ASSERT_TRUE(made);
    directory_.emplace(std::move(*made));
  }
  std::string log() const { return (directory_->path() / "log").string(); }
  base::Result<BackgroundProcess> shell(const std::string& script) const {
    return BackgroundProcess::start({"/bin/sh", "-c", script}, {}, log());
  }

  std::optional<bench::TemporaryDirectory> directory_;
};

TEST_F(BackgroundProcessTest, EndsWithItsExitCode) {
  auto process = shell("echo words; exit 3");
  ASSERT_TRUE(process) << process.error().message;
  const auto code = process->wait_for_end(generous);
  ASSERT_TRUE(code) << code.error().message;
  EXPECT_EQ(*code, 3);
  EXPECT_EQ(process->id(), 0);
  EXPECT_EQ(*process->printed(), "words\n");
}

TEST_F(BackgroundProcessTest, StopsWhenItIsAsked) {
  auto process = shell("exec sleep 600");
  ASSERT_TRUE(process) << process.error().message;
  EXPECT_TRUE(process->is_running());
  EXPECT_TRUE(process->stop(generous));
  EXPECT_FALSE(process->is_running());
  EXPECT_TRUE(process->stop(generous));
}

TEST_F(BackgroundProcessTest, GoesWithItsObject) {
  pid_t id = 0;
  {
    const auto process = shell("trap '' TERM; while :; do sleep 1; done");
    ASSERT_TRUE(process) << process.error().message;
    id = process->id();
  }
  EXPECT_EQ(::kill(id, 0), -1);
  EXPECT_EQ(errno, ESRCH);
}

TEST_F(BackgroundProcessTest, WhatDoesNotEndIsAnError) {
  auto process = shell("exec sleep 600");
  ASSERT_TRUE(process) << process.error().message;
  const auto code = process->wait_for_end(std::chrono::milliseconds(50));
  ASSERT_FALSE(code);
  EXPECT_EQ(code.error().code, ETIMEDOUT);
}

TEST_F(BackgroundProcessTest, QuotesOneThatEndedBeforeItServed) {
  const auto process = shell("echo no memory >&2; exit 1");
  ASSERT_TRUE(process) << process.error().message;
  const auto status = process->wait_for_socket((directory_->path() / "s").string(), generous);
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().message.find("no memory"), std::string::npos) << status.error().message;
}

TEST_F(BackgroundProcessTest, WhatIsNoProgramIsAnError) {
  const auto process = BackgroundProcess::start({"/nowhere/program"}, {}, log());
  ASSERT_FALSE(process);
  EXPECT_EQ(process.error().code, ENOENT);
}

}  // namespace
}  // namespace weft::trial
