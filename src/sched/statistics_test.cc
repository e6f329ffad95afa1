// SPDX-License-Identifier: Apache-2.0
// The page of a process, from the side that writes it; tests of both sides are in view/.
#include "sched/statistics.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "sched/monitor.h"
#include "sched/park.h"
#include "sched/runtime.h"
#include "sched/thread.h"

namespace weft::sched {
namespace {

class Folder {
 public:
  Folder() { EXPECT_NE(::mkdtemp(path_), nullptr); }
  ~Folder() { std::filesystem::remove_all(path_); }
  const char* path() const { return path_; }
  std::string page() const { return path_ + ("/weft." + std::to_string(::getpid())); }

 private:
  char path_[32] = "/tmp/weft_statistics_XXXXXX";
};

std::unique_ptr<StatisticsPage> read_page(const std::string& path) {
  auto page = std::make_unique<StatisticsPage>();
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(page.get()), sizeof *page);
  EXPECT_TRUE(file.good()) << path;
  return page;
}

TEST(Statistics, IsAFileForItsOwnerOnlyWhileItLives) {
  const Folder folder;
  {
    const Statistics statistics(folder.path());
    EXPECT_TRUE(statistics.visible());
    struct stat status {};
    ASSERT_EQ(::stat(folder.page().c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777, 0600U);
    const auto page = read_page(folder.page());
    EXPECT_EQ(std::memcmp(page->magic, "weft", 4), 0);
    EXPECT_EQ(page->version, StatisticsPage::current_version);
    EXPECT_EQ(page->size_bytes, sizeof(StatisticsPage));
    EXPECT_EQ(page->process_id, static_cast<std::uint32_t>(::getpid()));
    EXPECT_NE(page->start_time_ticks, 0U);
    EXPECT_EQ(page->snapshot.updates, 0U);
  }
  EXPECT_FALSE(std::filesystem::exists(folder.page()));
}

TEST(Statistics, StaysInMemoryWhereThereCanBeNoFile) {
  Statistics statistics("/nonexistent");
  EXPECT_FALSE(statistics.visible());
  statistics.publish(*std::make_unique<StatisticsSnapshot>());
  const Statistics too_long(std::string(80, 'x').c_str());
  EXPECT_FALSE(too_long.visible());
}

TEST(Statistics, IsOneFileForAProcess) {
  const Folder folder;
  {
    const Statistics first(folder.path());
    {
      const Statistics second(folder.path());
      EXPECT_FALSE(second.visible());
    }
    EXPECT_TRUE(std::filesystem::exists(folder.page()));
  }
  EXPECT_TRUE(Statistics(folder.path()).visible());
}

TEST(Statistics, ReplacesWhatAnEarlierProcessLeft) {
  const Folder folder;
  std::ofstream(folder.page()) << "old";
  const Statistics statistics(folder.path());
  EXPECT_TRUE(statistics.visible());
  EXPECT_EQ(read_page(folder.page())->size_bytes, sizeof(StatisticsPage));
}

TEST(Statistics, FollowsNoLink) {
  const Folder folder;
  const std::string elsewhere = folder.path() + std::string("/elsewhere");
  std::ofstream(elsewhere) << "kept";
  std::filesystem::create_symlink(elsewhere, folder.page());
  const Statistics statistics(folder.path());
  EXPECT_EQ(std::filesystem::file_size(elsewhere), 4U);
}

TEST(Statistics, MakesNoFileThroughALinkToNothing) {
  const Folder folder;
  const std::string elsewhere = folder.path() + std::string("/elsewhere");
  std::filesystem::create_symlink(elsewhere, folder.page());
  const Statistics statistics(folder.path());
  EXPECT_TRUE(statistics.visible());
  EXPECT_FALSE(std::filesystem::exists(elsewhere));
  EXPECT_FALSE(std::filesystem::is_symlink(folder.page()));
}

TEST(Statistics, WritesOntoNoFileThatHasAnotherName) {
  const Folder folder;
  const std::string elsewhere = folder.path() + std::string("/elsewhere");
  std::ofstream(elsewhere) << "kept";
  std::filesystem::create_hard_link(elsewhere, folder.page());
  const Statistics statistics(folder.path());
  EXPECT_TRUE(statistics.visible());
  EXPECT_EQ(std::filesystem::file_size(elsewhere), 4U);
}

TEST(Statistics, WaitsForNobodyAtAFifo) {
  const Folder folder;
  ASSERT_EQ(::mkfifo(folder.page().c_str(), 0666), 0);
  const Statistics statistics(folder.path());
  EXPECT_TRUE(statistics.visible());
  EXPECT_TRUE(std::filesystem::is_regular_file(folder.page()));
}

TEST(Statistics, StaysInMemoryWhereADirectoryHasItsName) {
  const Folder folder;
  std::filesystem::create_directory(folder.page());
  EXPECT_FALSE(Statistics(folder.path()).visible());
}

TEST(Statistics, IsForItsOwnerWhateverTheMask) {
  const Folder folder;
  const mode_t before = ::umask(0);
  const Statistics statistics(folder.path());
  ::umask(before);
  struct stat status {};
  ASSERT_EQ(::stat(folder.page().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0600U);
}

// What somebody else has put there, in a folder for everybody, as /dev/shm is.
TEST(Statistics, LeavesTheFilesOfOthersAlone) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root, to be two users";
  constexpr uid_t nobody = 65534;
  const Folder folder;
  ASSERT_EQ(::chmod(folder.path(), 01777), 0);
  for (const bool as_link : {false, true}) {
    const pid_t child = ::fork();
    if (child == 0) {
      if (as_link) {
        std::filesystem::create_symlink("/tmp", folder.page());
      } else {
        std::ofstream(folder.page()) << "theirs";
        ::chmod(folder.page().c_str(), 0666);
      }
      if (::setresgid(nobody, nobody, nobody) != 0 || ::setresuid(nobody, nobody, nobody) != 0) {
        ::_exit(2);
      }
      const bool is_visible = Statistics(folder.path()).visible();
      const bool is_kept = as_link ? std::filesystem::is_symlink(folder.page())
                                   : std::filesystem::file_size(folder.page()) == 6;
      ::_exit(is_visible || !is_kept ? 1 : 0);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0) << as_link;
  }
}

TEST(Statistics, IsTheParentsAfterAFork) {
  const Folder folder;
  auto statistics = std::make_unique<Statistics>(folder.path());
  const pid_t child = ::fork();
  if (child == 0) {
    statistics.reset();
    ::_exit(Statistics(folder.path()).visible() ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(std::filesystem::exists(folder.page()));
}

void* sleep_and_go_home(void*) {
  const os::Instant deadline = os::MonotonicClock::now() + std::chrono::milliseconds{20};
  while (os::MonotonicClock::now() < deadline) park(fiber::ParkKind::sleep, nullptr, deadline);
  at_home("a test with a name that is longer than forty characters", [] {});
  return nullptr;
}

TEST(Statistics, HoldsWhatTheEngineCounts) {
  const Folder folder;
  Statistics statistics(folder.path());
  Runtime runtime({.workers = 2});
  Thread* thread = nullptr;
  ASSERT_EQ(spawn(runtime, nullptr, sleep_and_go_home, nullptr, &thread), 0);
  std::uint64_t parked = 0;
  do {
    statistics.update(runtime, *runtime.monitor(), 0);
    parked =
        read_page(folder.page())->snapshot.fibers[static_cast<std::size_t>(fiber::Place::parked)];
  } while (parked == 0);
  EXPECT_EQ(parked, 1U);
  ASSERT_EQ(join(thread, nullptr), 0);
  statistics.update(runtime, *runtime.monitor(), 7);

  const auto page = read_page(folder.page());
  const StatisticsSnapshot& snapshot = page->snapshot;
  EXPECT_EQ(page->sequence, 2 * snapshot.updates);
  EXPECT_EQ(snapshot.workers, 2U);
  EXPECT_EQ(snapshot.worker_count, 2U);
  EXPECT_EQ(snapshot.spares, 7U);
  EXPECT_GE(snapshot.carriers, 2U);
  std::uint64_t switches = 0, sleeps = 0;
  for (std::uint32_t i = 0; i < snapshot.worker_count; ++i) {
    switches += snapshot.worker_rows[i].switches;
    sleeps += snapshot.worker_rows[i].parks[static_cast<std::size_t>(fiber::ParkKind::sleep)];
    EXPECT_NE(snapshot.worker_rows[i].state, WorkerState::gone);
  }
  EXPECT_GE(switches, 2U);
  EXPECT_GE(sleeps, 1U);
  bool found = false;
  for (std::uint32_t i = 0; i < snapshot.trip_count; ++i) {
    found = found ||
            std::string(snapshot.trip_rows[i].name) == "a test with a name that is longer than ";
  }
  EXPECT_TRUE(found);
}

}  // namespace
}  // namespace weft::sched
