// SPDX-License-Identifier: Apache-2.0
// The access log's file: nothing is lost that it takes, and nobody waits for what it does not.
#include "serve/access_log.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "os/file.h"

namespace weft::serve {
namespace {

using namespace std::chrono_literals;

class AccessLogTest : public ::testing::Test {
 protected:
  AccessLogTest() {
    char name[] = "/tmp/weft-access-log-XXXXXX";
    folder_ = ::mkdtemp(name);
    path_ = folder_ / "log";
  }
  ~AccessLogTest() override { std::filesystem::remove_all(folder_); }

  void open(std::size_t buffer_bytes = std::size_t{4} << 20) {
    auto log = AccessLog::open(
        {.path = path_, .buffer_bytes = buffer_bytes, .complain = [this](const std::string&) {
           complaints_.fetch_add(1);
         }});
    ASSERT_TRUE(log) << log.error().message;
    log_ = std::move(*log);
  }
  void write(int number) {
    const std::string line = "GET /" + std::to_string(number) + " HTTP/1.1";
    log_->write({.peer = "peer", .request_line = line, .status = 200});
  }
  static std::vector<std::string> lines_of(const std::filesystem::path& path) {
    std::ifstream file(path);
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
  }
  static bool is_whole(const std::string& line) {
    return line.starts_with("peer - - [") &&
           line.ends_with(" HTTP/1.1\" 200 0 \"-\" \"-\" 0.000000");
  }

  std::filesystem::path folder_, path_;
  std::atomic<int> complaints_{0};
  std::unique_ptr<AccessLog> log_;
};

TEST_F(AccessLogTest, WhatWasWrittenIsThereAtTheEndAndBehindWhatWas) {
  std::ofstream(path_) << "before\n";
  open();
  for (int i = 0; i < 1000; ++i) write(i);
  EXPECT_TRUE(log_->finish(20s));
  const auto lines = lines_of(path_);
  ASSERT_EQ(lines.size(), 1001U);
  EXPECT_EQ(lines.front(), "before");
  for (std::size_t i = 1; i < lines.size(); ++i) {
    EXPECT_TRUE(is_whole(lines[i])) << lines[i];
    EXPECT_NE(lines[i].find("/" + std::to_string(i - 1) + " "), std::string::npos) << lines[i];
  }
  EXPECT_EQ(log_->written(), 1000U);
  EXPECT_EQ(log_->dropped(), 0U);
}

TEST_F(AccessLogTest, ALineIsThereSoonWithoutBeingAskedFor) {
  open();
  write(1);
  while (lines_of(path_).empty()) std::this_thread::sleep_for(5ms);
  EXPECT_EQ(lines_of(path_).size(), 1U);
}

TEST_F(AccessLogTest, RenamedAndReopenedUnderLoadLosesAndTearsNothing) {
  open();
  constexpr int threads = 4, each = 5'000, turns = 20;
  std::vector<std::thread> writers;
  for (int t = 0; t < threads; ++t) {
    writers.emplace_back([this, t] {
      for (int i = 0; i < each; ++i) {
        write(t * each + i);
        if (i % 250 == 0) std::this_thread::sleep_for(1ms);
      }
    });
  }
  for (int turn = 0; turn < turns; ++turn) {
    std::this_thread::sleep_for(2ms);
    std::error_code is_not_there_yet;
    std::filesystem::rename(path_, folder_ / ("old" + std::to_string(turn)), is_not_there_yet);
    log_->reopen();
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_TRUE(log_->finish(20s));
  std::vector<int> seen(threads * each);
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
    for (const std::string& line : lines_of(entry.path())) {
      ASSERT_TRUE(is_whole(line)) << line;
      ++seen[std::stoul(line.substr(line.find("GET /") + 5))];
    }
  }
  for (const int count : seen) EXPECT_EQ(count, 1);
  EXPECT_EQ(complaints_, 0);
}

// A pipe that is not read: nobody waits, what has no room is counted, and the log says how many
// those were.
TEST_F(AccessLogTest, WhoDoesNotTakeItCostsLinesAndSaysSoWhenItDoes) {
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  os::Descriptor reader(::open(path_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  open(4096);
  constexpr unsigned lines = 10'000;
  for (unsigned i = 0; i < lines; ++i) write(static_cast<int>(i));  // far more than pipe and buffer
  EXPECT_GT(log_->dropped(), 0U);
  ::fcntl(reader.get(), F_SETFL, 0);
  std::string text;
  std::thread reading([&] {
    char piece[4096];
    for (ssize_t bytes; (bytes = ::read(reader.get(), piece, sizeof(piece))) > 0;) {
      text.append(piece, static_cast<std::size_t>(bytes));
    }
  });
  EXPECT_TRUE(log_->finish(20s));
  const std::uint64_t dropped = log_->dropped();
  EXPECT_EQ(log_->written() + dropped, lines);
  log_.reset();  // closes the pipe
  reading.join();
  std::uint64_t whole = 0, said = 0;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    const std::size_t at = line.find("lines lost: ");
    if (at != std::string::npos) {
      said += std::stoul(line.substr(at + 12));
    } else {
      EXPECT_TRUE(is_whole(line)) << line;
      ++whole;
    }
  }
  EXPECT_EQ(said, dropped);
  EXPECT_EQ(whole + dropped, lines);
}

TEST_F(AccessLogTest, WhoNeverTakesItIsNotWaitedFor) {
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  const os::Descriptor reader(::open(path_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  open(1 << 20);
  for (int i = 0; i < 5'000; ++i) write(i);
  EXPECT_FALSE(log_->finish(100ms));
}

TEST_F(AccessLogTest, AFullDiskIsComplainedOfOnce) {
  path_ = "/dev/full";
  open();
  for (int i = 0; i < 3; ++i) {
    write(i);
    while (log_->dropped() != static_cast<unsigned>(i) + 1) std::this_thread::sleep_for(1ms);
  }
  EXPECT_TRUE(log_->finish(20s));
  EXPECT_EQ(complaints_, 1);
  EXPECT_EQ(log_->written(), 0U);
}

TEST_F(AccessLogTest, WhatCannotBeOpenedIsTold) {
  const auto none = AccessLog::open({.path = folder_ / "no" / "log"});
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().message.find("No such file"), std::string::npos);
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  const auto unread = AccessLog::open({.path = path_});
  ASSERT_FALSE(unread);
  EXPECT_NE(unread.error().message.find("nobody reads it"), std::string::npos);
}

TEST_F(AccessLogTest, WhatCannotBeReopenedIsKept) {
  open();
  write(1);
  std::filesystem::rename(folder_, folder_.string() + "-moved");
  log_->reopen();
  while (complaints_ != 1) std::this_thread::sleep_for(1ms);
  write(2);
  EXPECT_TRUE(log_->finish(20s));
  EXPECT_EQ(lines_of(folder_.string() + "-moved/log").size(), 2U);
  std::filesystem::rename(folder_.string() + "-moved", folder_);
}

}  // namespace
}  // namespace weft::serve
