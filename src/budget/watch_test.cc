// SPDX-License-Identifier: Apache-2.0
// What a watch promises its subscribers, on a host made of plain files; real cgroups are in
// tests/cgroup.
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <thread>

#include <weft/budget_watch.h>

namespace weft::budget {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

class WatchTest : public testing::Test {
 protected:
  WatchTest() {
    std::string name = (fs::temp_directory_path() / "weft-watch-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary directory");
    query_.root = name;
    root_ = name;
    query_.environment.emplace();
    write("proc/self/cgroup", "0::/a/b\n");
    write("proc/self/mountinfo", "30 25 0:26 / /cg rw - cgroup2 cgroup2 rw\n");
    write("proc/self/status", "Cpus_allowed:\tffff\n");
    set_quota("a/b", "400000 100000");
    set_quota("a", "max 100000");
  }
  ~WatchTest() override { fs::remove_all(root_); }

  // In place, as the kernel does it: the same file, another text.
  void write(const std::string& path, const std::string& text) const {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  void set_quota(const std::string& cgroup, const std::string& text) const {
    write("cg/" + cgroup + "/cpu.max", text + "\n");
  }

  Query query_;
  fs::path root_;
};

TEST_F(WatchTest, SeesAChangedQuotaAtAnyLevel) {
  Watch watch(query_, 0ms);
  std::vector<double> seen;
  const auto subscription =
      watch.subscribe([&](const Budget& budget) { seen.push_back(budget.cpu.cores); });
  EXPECT_FALSE(watch.refresh());
  set_quota("a/b", "200000 100000");
  EXPECT_TRUE(watch.refresh());
  set_quota("a", "50000 100000");
  EXPECT_TRUE(watch.refresh());
  EXPECT_FALSE(watch.refresh());
  EXPECT_EQ(seen, (std::vector<double>{4, 2, 0.5}));
  EXPECT_EQ(watch.current()->cpu.cores, 0.5);
  EXPECT_EQ(watch.counters().changes, 2U);
}

TEST_F(WatchTest, SeesAMoveToAnotherCgroup) {
  set_quota("other", "100000 100000");
  Watch watch(query_, 0ms);
  write("proc/self/cgroup", "0::/other\n");
  EXPECT_TRUE(watch.refresh());
  EXPECT_EQ(watch.current()->cpu.where, "/cg/other/cpu.max");
  set_quota("other", "300000 100000");
  EXPECT_TRUE(watch.refresh()) << "it follows there";
  EXPECT_EQ(watch.current()->cpu.cores, 3);
}

TEST_F(WatchTest, IsSilentWhenTheAnswerStaysTheSame) {
  Watch watch(query_, 0ms);
  int calls = 0;
  const auto subscription = watch.subscribe([&](const Budget&) { ++calls; });
  set_quota("a", "800000 100000");  // looser than the leaf
  EXPECT_FALSE(watch.refresh());
  EXPECT_EQ(calls, 1) << "only the first one";
}

TEST_F(WatchTest, SeesAControllerThatIsEnabledLater) {
  fs::remove(root_ / "cg/a/cpu.max");
  Watch watch(query_, 0ms);
  EXPECT_FALSE(watch.refresh());
  set_quota("a", "100000 100000");
  EXPECT_TRUE(watch.refresh());
  EXPECT_EQ(watch.current()->cpu.cores, 1);
}

TEST_F(WatchTest, SeesANewMountWithinSixtyLooks) {
  write("proc/self/mountinfo", "");
  Watch watch(query_, 0ms);
  EXPECT_EQ(watch.current()->cpu.cores, 16);
  write("proc/self/mountinfo", "30 25 0:26 / /cg rw - cgroup2 cgroup2 rw\n");
  bool seen = false;
  for (int look = 0; look < 60 && !seen; ++look) seen = watch.refresh();
  EXPECT_TRUE(seen);
  EXPECT_EQ(watch.current()->cpu.cores, 4);
}

TEST_F(WatchTest, DoesNotFollowAPin) {
  query_.environment->emplace_back("CPU_LIMIT", "1500m");
  Watch watch(query_, 0ms);
  set_quota("a/b", "100000 100000");
  EXPECT_FALSE(watch.refresh());
  EXPECT_EQ(watch.current()->cpu.cores, 1.5);
  EXPECT_EQ(watch.counters().levels, 1U + 2U) << "the process, and the two levels of memory";
}

TEST_F(WatchTest, KeepsWhatItKnowsWhenItCanSeeLess) {
  Watch watch(query_, 0ms);
  fs::remove(root_ / "cg/a/b/cpu.max");
  fs::create_directory(root_ / "cg/a/b/cpu.max");  // there, and not to be read
  write("proc/self/cgroup", "0::/a/b/\n");
  EXPECT_FALSE(watch.refresh());
  EXPECT_EQ(watch.current()->cpu.cores, 4);
  fs::remove(root_ / "cg/a/b/cpu.max");
  set_quota("a/b", "100000 100000");
  EXPECT_TRUE(watch.refresh());
  EXPECT_EQ(watch.current()->cpu.cores, 1);
}

TEST_F(WatchTest, BelievesATighterLimitEvenWhereItSeesLess) {
  set_quota("b", "200000 100000");
  fs::create_directories(root_ / "cg/b/c/cpu.max");  // there, and not to be read
  Watch watch(query_, 0ms);
  write("proc/self/cgroup", "0::/b/c\n");
  EXPECT_TRUE(watch.refresh());
  EXPECT_EQ(watch.current()->cpu.cores, 2);
}

TEST_F(WatchTest, LeavesTheSignalsOfTheCallerAlone) {
  sigset_t before;
  sigset_t after;
  pthread_sigmask(SIG_SETMASK, nullptr, &before);
  Watch watch(query_, 1ms);
  pthread_sigmask(SIG_SETMASK, nullptr, &after);
  EXPECT_TRUE(watch.counters().has_thread);
  for (int number = 1; number < 32; ++number) {
    EXPECT_EQ(sigismember(&before, number), sigismember(&after, number)) << number;
  }
}

TEST_F(WatchTest, ACallbackMayEndItsOwnSubscription) {
  Watch watch(query_, 0ms);
  int calls = 0;
  Watch::Subscription subscription;
  subscription = watch.subscribe([&](const Budget&) {
    if (++calls == 2) subscription.reset();
  });
  for (const char* quota : {"100000 100000", "200000 100000", "300000 100000"}) {
    set_quota("a/b", quota);
    EXPECT_TRUE(watch.refresh());
  }
  EXPECT_EQ(calls, 2);
}

TEST_F(WatchTest, ACallbackMayRefreshAndIsNeverEnteredTwice) {
  Watch watch(query_, 0ms);
  int depth = 0;
  std::vector<double> seen;
  const auto subscription = watch.subscribe([&](const Budget& budget) {
    EXPECT_EQ(++depth, 1);
    seen.push_back(budget.cpu.cores);
    if (budget.cpu.cores == 2) {
      set_quota("a/b", "100000 100000");
      EXPECT_TRUE(watch.refresh());
    }
    --depth;
  });
  set_quota("a/b", "200000 100000");
  watch.refresh();
  EXPECT_EQ(seen, (std::vector<double>{4, 2, 1}));
}

// What a callback has captured goes when it likes, and may ask the watch then.
TEST_F(WatchTest, CapturesMayUseTheWatchWhenTheyGo) {
  Watch watch(query_, 0ms);
  int asked = 0;
  const auto ask = [&](int* count) {
    EXPECT_NE(watch.current(), nullptr);
    watch.refresh();
    ++*count;
  };
  Watch::Subscription subscription;
  subscription =
      watch.subscribe([&, last_wish = std::shared_ptr<int>(&asked, ask)](const Budget& budget) {
        if (budget.cpu.cores == 1) subscription.reset();
      });
  set_quota("a/b", "100000 100000");
  EXPECT_TRUE(watch.refresh());
  set_quota("a/b", "200000 100000");
  EXPECT_TRUE(watch.refresh());
  EXPECT_EQ(asked, 1);
}

// Two callbacks that look themselves, on two threads: neither may wait for the other.
TEST_F(WatchTest, CallbacksThatRefreshOnTwoThreadsDoNotWaitForEachOther) {
  Watch watch(query_, 0ms);
  const auto looks = [&](const Budget&) { watch.refresh(); };
  const auto first = watch.subscribe(looks);
  const auto second = watch.subscribe(looks);
  std::vector<std::thread> threads;
  threads.reserve(3);
  for (unsigned number = 0; number < 3; ++number) {
    threads.emplace_back([&, number] {
      for (unsigned round = 0; round < 200; ++round) {
        set_quota("a/b", std::to_string(100000 * (1 + (round + number) % 8)) + " 100000");
        watch.refresh();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(watch.counters().changes, 0U);
}

TEST_F(WatchTest, WhatACallbackThrowsIsCounted) {
  Watch watch(query_, 0ms);
  int calls = 0;
  const auto bad = watch.subscribe([](const Budget&) { throw std::runtime_error("no"); });
  const auto good = watch.subscribe([&](const Budget&) { ++calls; });
  set_quota("a/b", "200000 100000");
  EXPECT_TRUE(watch.refresh());
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(watch.counters().callback_exceptions, 2U);
}

TEST_F(WatchTest, ASubscriptionMayOutliveTheWatch) {
  Watch::Subscription subscription;
  {
    Watch watch(query_, 1ms);
    subscription = watch.subscribe([](const Budget&) {});
  }
  subscription.reset();
}

// Several threads subscribe, look, change the quota and leave, while the watch's own thread runs:
// after a subscription has ended its callback is never running, and what it saw was never older
// than what it had seen before. ThreadSanitizer looks on.
TEST_F(WatchTest, SubscribersComeAndGoWhileItRuns) {
  Watch watch(query_, 1ms);
  std::atomic<bool> stop{false};
  std::atomic<int> faults{0};
  std::thread changer([&] {
    for (unsigned round = 1; !stop; ++round) {
      set_quota("a/b", std::to_string(100000 * (1 + round % 8)) + " 100000");
      watch.refresh();
    }
  });
  std::vector<std::thread> subscribers;
  subscribers.reserve(3);
  for (int number = 0; number < 3; ++number) {
    subscribers.emplace_back([&] {
      for (int round = 0; round < 100; ++round) {
        auto alive = std::make_unique<std::atomic<bool>>(true);
        std::atomic<int> inside{0};
        auto subscription = watch.subscribe([&, alive = alive.get()](const Budget& budget) {
          if (inside.fetch_add(1) != 0 || !*alive || budget.cpu.cores < 1) ++faults;
          inside.fetch_sub(1);
        });
        watch.refresh();
        subscription.reset();
        *alive = false;
      }
    });
  }
  for (std::thread& thread : subscribers) thread.join();
  // On a busy machine they may be done before it has had its first turn.
  const auto end = std::chrono::steady_clock::now() + 20s;
  while (watch.counters().changes == 0 && std::chrono::steady_clock::now() < end) {
    std::this_thread::yield();
  }
  stop = true;
  changer.join();
  EXPECT_EQ(faults, 0);
  EXPECT_GT(watch.counters().changes, 0U);
}

}  // namespace
}  // namespace weft::budget
