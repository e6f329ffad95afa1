// SPDX-License-Identifier: Apache-2.0
// Threads as fibers: they run, park, wake, sleep, go home and end.
#include "sched/runtime.h"

#include <gtest/gtest.h>

#include <functional>
#include <thread>
#include <vector>

#include "sched/park.h"
#include "sched/thread.h"

namespace weft::sched {
namespace {

using fiber::ParkKind;

class Joinable {
 public:
  Joinable(Runtime& runtime, std::function<void()> function) : function_(std::move(function)) {
    EXPECT_EQ(spawn(runtime, nullptr, &Joinable::main, this, &thread_), 0);
  }
  void join() { EXPECT_EQ(sched::join(thread_, nullptr), 0); }

 private:
  static void* main(void* self) {
    static_cast<Joinable*>(self)->function_();
    return nullptr;
  }
  std::function<void()> function_;
  Thread* thread_ = nullptr;
};

void run_all(Runtime& runtime, int count, const std::function<void(int)>& function) {
  std::vector<std::unique_ptr<Joinable>> threads;
  threads.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    threads.push_back(std::make_unique<Joinable>(runtime, [&function, i] { function(i); }));
  }
  for (auto& thread : threads) thread->join();
}

class RuntimeTest : public ::testing::TestWithParam<std::uint32_t> {
 protected:
  Runtime runtime_{{.workers = GetParam()}};
};

TEST_P(RuntimeTest, RunsFibers) {
  std::atomic<int> sum{0};
  run_all(runtime_, 100, [&](int i) {
    EXPECT_TRUE(counts_as_away(fiber::self()));
    sum += i;
  });
  EXPECT_EQ(sum, 4950);
}

TEST_P(RuntimeTest, YieldsToOthers) {
  std::atomic<int> turns{0};
  run_all(runtime_, 10, [&](int) {
    for (int i = 0; i < 1000; ++i) {
      ++turns;
      yield();
    }
  });
  EXPECT_EQ(turns, 10'000);
}

TEST_P(RuntimeTest, SleepsUntilTheDeadline) {
  run_all(runtime_, 50, [&](int i) {
    const os::Instant deadline = os::MonotonicClock::now() + std::chrono::milliseconds{i};
    while (os::MonotonicClock::now() < deadline) park(ParkKind::sleep, nullptr, deadline);
  });
}

TEST_P(RuntimeTest, UnparkReachesParkedFibersFromEverywhere) {
  std::atomic<fiber::Fiber*> sleeper{nullptr};
  std::atomic<int> woken{0};
  std::atomic<bool> stop{false};
  std::jthread native([&] {
    while (!stop) {
      if (fiber::Fiber* const fiber = sleeper.load()) unpark(*fiber);
    }
  });
  run_all(runtime_, 1, [&](int) {
    sleeper = &fiber::self();
    for (int i = 0; i < 100'000; ++i) {
      park(ParkKind::other, nullptr);
      ++woken;
    }
    stop = true;
  });
  EXPECT_EQ(woken, 100'000);
}

TEST_P(RuntimeTest, GoesHomeAndBack) {
  thread_local int kept = 0;
  run_all(runtime_, 20, [&](int i) {
    kept = i;
    const auto self = ::pthread_self();
    for (int trip = 0; trip < 100; ++trip) {
      const int answer = at_home("test", [&] {
        EXPECT_EQ(fiber::self().carrier.load(), nullptr);
        EXPECT_EQ(static_cast<std::uint32_t>(::gettid()), fiber::self().id);
        return trip;
      });
      EXPECT_EQ(answer, trip);
      EXPECT_NE(fiber::self().carrier.load(), nullptr);
      EXPECT_EQ(kept, i);
      EXPECT_EQ(::pthread_self(), self);
    }
  });
}

TEST_P(RuntimeTest, ResizesUnderLoad) {
  std::atomic<bool> stop{false};
  std::jthread resizer([&] {
    for (int i = 0; !stop; ++i) {
      constexpr std::uint32_t sizes[] = {1, 2, 4, 1};
      runtime_.resize(sizes[i % 4]);
      std::this_thread::sleep_for(std::chrono::microseconds{i % 300});
    }
  });
  std::atomic<int> sum{0};
  run_all(runtime_, 50, [&](int) {
    for (int i = 0; i < 200; ++i) {
      ++sum;
      const os::Instant deadline = os::MonotonicClock::now() + std::chrono::microseconds{i};
      if (i % 10 == 0) park(ParkKind::sleep, nullptr, deadline);
      yield();
    }
  });
  stop = true;
  EXPECT_EQ(sum, 10'000);
}

// Blocks the kernel thread that runs the calling fiber, as a call that we do not know would.
void block_in_kernel(int descriptor) {
  char byte = 0;
  EXPECT_EQ(::read(descriptor, &byte, 1), 1);
}

TEST_P(RuntimeTest, RunsOthersWhileFibersAreStuckInTheKernel) {
  int pipe[2];
  ASSERT_EQ(::pipe(pipe), 0);
  constexpr int blocked = 8;
  std::vector<std::unique_ptr<Joinable>> stuck;
  stuck.reserve(blocked);
  for (int i = 0; i < blocked; ++i) {
    stuck.push_back(std::make_unique<Joinable>(runtime_, [&] {
      be_away(fiber::self());
      block_in_kernel(pipe[0]);
    }));
  }
  std::this_thread::sleep_for(std::chrono::milliseconds{1});
  std::atomic<int> ran{0};
  run_all(runtime_, 20, [&](int) {
    ++ran;
    yield();
  });
  EXPECT_EQ(ran, 20);
  EXPECT_TRUE(GetParam() != 1 || runtime_.monitor()->relieved() >= 1);
  EXPECT_EQ(::write(pipe[1], "12345678", 8), 8);
  for (auto& thread : stuck) thread->join();
  ::close(pipe[0]);
  ::close(pipe[1]);
}

TEST_P(RuntimeTest, RunsOthersWhileFibersSpin) {
  std::atomic<bool> stop{false};
  std::vector<std::unique_ptr<Joinable>> spinning;
  for (std::uint32_t i = 0; i < GetParam(); ++i) {
    spinning.push_back(std::make_unique<Joinable>(runtime_, [&] {
      while (!stop) {
      }
    }));
  }
  run_all(runtime_, 1, [&](int) { stop = true; });
  for (auto& thread : spinning) thread->join();
}

INSTANTIATE_TEST_SUITE_P(Workers, RuntimeTest, ::testing::Values(1U, 2U, 4U, 8U));

}  // namespace
}  // namespace weft::sched
