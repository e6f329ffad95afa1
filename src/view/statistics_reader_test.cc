// SPDX-License-Identifier: Apache-2.0
// The page of statistics from both sides: torn writes, stale files, other versions, other
// processes.
#include "view/statistics_reader.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <thread>

namespace weft::view {
namespace {

using sched::Statistics;
using sched::StatisticsPage;
using sched::StatisticsSnapshot;

class StatisticsReaderTest : public ::testing::Test {
 protected:
  StatisticsReaderTest() { EXPECT_NE(::mkdtemp(folder_), nullptr); }
  ~StatisticsReaderTest() override { std::filesystem::remove_all(folder_); }

  std::string page_of(pid_t process_id) const {
    return folder_ + ("/weft." + std::to_string(process_id));
  }
  std::string error_of(pid_t process_id) const {
    const auto reader = StatisticsReader::open(process_id, folder_);
    return reader.ok() ? "" : reader.error().message;
  }
  // Changes a field of the page on the disk.
  template <class Field>
  void overwrite(std::size_t offset, Field value) const {
    std::fstream file(page_of(::getpid()), std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(static_cast<std::streamoff>(offset));
    file.write(reinterpret_cast<const char*>(&value), sizeof value);
    EXPECT_TRUE(file.good());
  }

  char folder_[32] = "/tmp/weft_view_XXXXXX";
  std::unique_ptr<StatisticsSnapshot> snapshot_ = std::make_unique<StatisticsSnapshot>();
};

constexpr std::size_t row_words =
    StatisticsSnapshot::most_workers * sizeof(sched::WorkerRow) / sizeof(std::uint64_t);

// Every word of the table of workers is the same.
void fill_rows(StatisticsSnapshot& snapshot, std::uint64_t value) {
  snapshot.updates = value;
  std::uint64_t row[row_words];
  for (std::uint64_t& word : row) word = value;
  std::memcpy(snapshot.worker_rows, row, sizeof row);
}

bool rows_are_whole(const StatisticsSnapshot& snapshot) {
  std::uint64_t row[row_words];
  std::memcpy(row, snapshot.worker_rows, sizeof row);
  for (const std::uint64_t word : row) {
    if (word != snapshot.updates) return false;
  }
  return true;
}

TEST_F(StatisticsReaderTest, NeverSeesHalfAnUpdate) {
  Statistics statistics(folder_);
  const auto reader = StatisticsReader::open(::getpid(), folder_);
  ASSERT_TRUE(reader.ok()) << reader.error().message;
  std::atomic<bool> stop{false};
  std::thread writer([&] {
    const auto snapshot = std::make_unique<StatisticsSnapshot>();
    for (std::uint64_t i = 0; !stop; ++i) {
      fill_rows(*snapshot, i);
      statistics.publish(*snapshot);
      // Without a pause now and then no read would ever fit in between.
      if (i % 64 == 0) std::this_thread::sleep_for(std::chrono::microseconds{200});
    }
  });
  std::uint64_t last = 0;
  int different = 0;
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds{300};
  while (std::chrono::steady_clock::now() < end) {
    if (!reader->read(*snapshot_)) continue;
    EXPECT_TRUE(rows_are_whole(*snapshot_));
    if (HasFailure()) break;
    EXPECT_GE(snapshot_->updates, last);
    different += snapshot_->updates == last ? 0 : 1;
    last = snapshot_->updates;
  }
  stop = true;
  writer.join();
  EXPECT_GE(different, 10);
}

TEST_F(StatisticsReaderTest, GivesUpOnAWriterThatStoppedHalfWay) {
  const Statistics statistics(folder_);
  overwrite(offsetof(StatisticsPage, sequence), std::uint64_t{3});
  const auto reader = StatisticsReader::open(::getpid(), folder_);
  ASSERT_TRUE(reader.ok());
  EXPECT_FALSE(reader->read(*snapshot_));
}

TEST_F(StatisticsReaderTest, SaysThatAnotherVersionIsAnother) {
  const Statistics statistics(folder_);
  overwrite(offsetof(StatisticsPage, version), std::uint32_t{3});
  EXPECT_EQ(error_of(::getpid()),
            "process " + std::to_string(::getpid()) +
                " writes version 3 of its statistics, and this program reads version 2: "
                "use the program of the same release");
}

TEST_F(StatisticsReaderTest, SaysThatAFileIsStale) {
  const Statistics statistics(folder_);
  overwrite(offsetof(StatisticsPage, start_time_ticks), std::uint64_t{1});
  EXPECT_NE(error_of(::getpid()).find("is stale"), std::string::npos);
}

TEST_F(StatisticsReaderTest, SaysThatThereIsNone) {
  EXPECT_NE(error_of(::getpid()).find("does not run under weft"), std::string::npos);
  EXPECT_EQ(error_of(0x7ffffff0), "there is no process 2147483632");
}

TEST_F(StatisticsReaderTest, RefusesWhatIsNoPage) {
  std::ofstream(page_of(::getpid())) << std::string(100, 'x');
  EXPECT_NE(error_of(::getpid()).find("is no page of weft's"), std::string::npos);
  std::filesystem::remove(page_of(::getpid()));
  std::filesystem::create_directory(page_of(::getpid()));
  EXPECT_NE(error_of(::getpid()).find("is no page of weft's"), std::string::npos);
  std::filesystem::remove(page_of(::getpid()));
  std::filesystem::create_symlink("/etc/passwd", page_of(::getpid()));
  EXPECT_NE(error_of(::getpid()).find("cannot open"), std::string::npos);
}

TEST_F(StatisticsReaderTest, SurvivesAFileThatIsCutShort) {
  const Statistics statistics(folder_);
  const auto reader = StatisticsReader::open(::getpid(), folder_);
  ASSERT_TRUE(reader.ok());
  EXPECT_TRUE(reader->read(*snapshot_));
  std::filesystem::resize_file(page_of(::getpid()), sizeof(StatisticsPage) / 2);
  EXPECT_FALSE(reader->read(*snapshot_));
}

TEST_F(StatisticsReaderTest, BelievesNoCountThatIsTooLarge) {
  Statistics statistics(folder_);
  std::memset(static_cast<void*>(snapshot_.get()), 0xff, sizeof *snapshot_);
  statistics.publish(*snapshot_);
  const auto reader = StatisticsReader::open(::getpid(), folder_);
  ASSERT_TRUE(reader.ok());
  ASSERT_TRUE(reader->read(*snapshot_));
  EXPECT_EQ(snapshot_->worker_count, StatisticsSnapshot::most_workers);
  EXPECT_EQ(snapshot_->trip_count, sched::Sites::most_sites);
  EXPECT_EQ(snapshot_->stuck_count, sched::StuckCalls::most_sites);
  EXPECT_EQ(snapshot_->stuck_rows[0].frame_count, sched::StuckCalls::most_frames);
  EXPECT_EQ(std::strlen(snapshot_->trip_rows[0].name), sched::TripRow::name_bytes - 1);
}

// A child with a page of its own, that says so and lives until it is killed.
class Child {
 public:
  Child(const char* folder, std::uint64_t updates) {
    int ends[2] = {-1, -1};
    EXPECT_EQ(::pipe(ends), 0);
    process_id_ = ::fork();
    if (process_id_ == 0) {
      Statistics statistics(folder);
      const auto snapshot = std::make_unique<StatisticsSnapshot>();
      snapshot->updates = updates;
      statistics.publish(*snapshot);
      if (::write(ends[1], "x", 1) != 1) ::_exit(1);
      for (;;) ::pause();
    }
    char byte = 0;
    EXPECT_EQ(::read(ends[0], &byte, 1), 1);
    ::close(ends[0]);
    ::close(ends[1]);
  }
  ~Child() {
    ::kill(process_id_, SIGKILL);
    ::waitpid(process_id_, nullptr, 0);
  }
  pid_t process_id() const { return process_id_; }
  void kill() const {
    ::kill(process_id_, SIGKILL);
    siginfo_t information{};
    EXPECT_EQ(::waitid(P_PID, static_cast<id_t>(process_id_), &information, WEXITED | WNOWAIT), 0);
  }

 private:
  pid_t process_id_ = -1;
};

TEST_F(StatisticsReaderTest, ReadsEachProcessByItself) {
  const Child one(folder_, 11);
  const Child other(folder_, 22);
  const auto of_one = StatisticsReader::open(one.process_id(), folder_);
  const auto of_other = StatisticsReader::open(other.process_id(), folder_);
  ASSERT_TRUE(of_one.ok() && of_other.ok());
  ASSERT_TRUE(of_one->read(*snapshot_));
  EXPECT_EQ(snapshot_->updates, 11U);
  ASSERT_TRUE(of_other->read(*snapshot_));
  EXPECT_EQ(snapshot_->updates, 22U);
  EXPECT_TRUE(of_one->process_lives());
  one.kill();  // the file stays, and a zombie is no process
  EXPECT_FALSE(of_one->process_lives());
  EXPECT_NE(error_of(one.process_id()).find("is stale"), std::string::npos);
}

}  // namespace
}  // namespace weft::view
