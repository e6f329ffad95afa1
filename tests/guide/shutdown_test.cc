// SPDX-License-Identifier: Apache-2.0
// docs/guide/shutdown.md: a pool that ends when it is told to loses what it has accepted.
#include <weft/pool.h>

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <latch>
#include <mutex>
#include <stop_token>
#include <thread>

namespace weft {
namespace {

constexpr int requests = 100;

// As it is often written: the thread looks whether it is to stop, then at its queue.
class HastyPool {
 public:
  void submit(std::function<void()> job) {
    {
      const std::scoped_lock guard(mutex_);
      jobs_.push_back(std::move(job));
    }
    changed_.notify_one();
  }
  void stop() {
    thread_.request_stop();
    thread_.join();
  }

 private:
  void run(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      std::function<void()> job;
      {
        std::unique_lock guard(mutex_);
        if (!changed_.wait(guard, stop, [&] { return !jobs_.empty(); })) return;
        job = std::move(jobs_.front());
        jobs_.pop_front();
      }
      job();
    }
  }

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<std::function<void()>> jobs_;
  std::jthread thread_{[this](const std::stop_token& stop) { run(stop); }};
};

TEST(TheBug, APoolThatStopsAtOnceLosesRequests) {
  std::atomic<int> answered{0};
  std::latch end_was_asked_for(1);  // until then the first request holds the thread
  HastyPool pool;
  pool.submit([&] { end_was_asked_for.wait(); });
  for (int i = 0; i < requests; ++i) pool.submit([&] { ++answered; });
  std::jthread release([&] { end_was_asked_for.count_down(); });
  pool.stop();
  EXPECT_LT(answered, requests) << "the bug does not show any more, and the guide is wrong";
}

TEST(TheCure, APoolThatDrainsAnswersAllThatItAccepted) {
  std::atomic<int> answered{0};
  std::atomic<int> accepted{0};
  std::latch end_was_asked_for(1);  // until then the first request holds the thread
  Pool pool({.policy = Policy::fixed, .minimum = 1, .maximum = 1, .cpus = 1});
  pool.submit([&] { end_was_asked_for.wait(); });
  std::jthread late([&] {
    for (int i = 0; i < requests; ++i) {
      if (pool.submit([&] { ++answered; }) == Submitted::accepted) ++accepted;
    }
    end_was_asked_for.count_down();
  });
  pool.drain();
  late.join();
  EXPECT_EQ(answered, accepted) << "what is not taken any more is refused, and not lost";
}

}  // namespace
}  // namespace weft
