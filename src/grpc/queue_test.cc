// SPDX-License-Identifier: Apache-2.0
// Queues: what is posted is run, nothing is lost, and coroutines wait on them.
#include <weft/coroutines.h>
#include <weft/grpc_queue.h>

#include <gtest/gtest.h>

#include <atomic>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <future>

#include "coroutine/await_test_support.h"
#include "grpc/tested_transport.h"

namespace weft::grpc {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

constexpr Ambient<std::string> user("user");

// A queue with its thread.
class Served {
 public:
  Served() : thread_([this] { queue.run(); }) {}
  ~Served() { close(); }
  void close() {
    if (!thread_.joinable()) return;
    asio::post(queue.executor(), [this] { queue.close(); });
    thread_.join();
  }

 private:
  TestedQueue own_;

 public:
  QueueContext& queue = *own_;

 private:
  std::thread thread_;
};

TEST(Queue, RunsWhatIsPostedOnItsOwnThreadAndInOrder) {
  Served served;
  std::vector<int> order;
  std::promise<void> last;
  for (int i = 0; i < 1000; ++i) {
    asio::post(served.queue.executor(), [&, i] {
      EXPECT_TRUE(served.queue.is_here());
      order.push_back(i);
      // Behind what is there.
      if (i == 0) asio::post(served.queue.executor(), [&] { order.push_back(-1); });
      if (i == 999) asio::post(served.queue.executor(), [&] { last.set_value(); });
    });
  }
  last.get_future().wait();
  ASSERT_EQ(order.size(), 1001U);
  std::erase(order, -1);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(order[static_cast<std::size_t>(i)], i);
  EXPECT_FALSE(served.queue.is_here());
}

TEST(Queue, RunsAtOnceWhatIsDispatchedOnItsOwnThread) {
  Served served;
  std::promise<bool> result;
  asio::post(served.queue.executor(), [&] {
    bool has_run = false;
    asio::dispatch(served.queue.executor(), [&] { has_run = true; });
    result.set_value(has_run);
  });
  EXPECT_TRUE(result.get_future().get());
}

TEST(Queue, RunsNothingAtOnceThatIsPosted) {
  Served served;
  const asio::any_io_executor strands[] = {
      served.queue.strand(), ContextExecutor::on(asio::make_strand(served.queue.executor()))};
  for (const auto& strand : strands) {
    std::string order;
    std::promise<void> done;
    asio::post(strand, [&] {
      asio::post(strand, [&] {
        order += "posted";
        done.set_value();
      });
      order += "first, ";
    });
    done.get_future().wait();
    EXPECT_EQ(order, "first, posted");
  }
}

TEST(Queue, LosesNothingThatManyThreadsPost) {
  Served served;
  constexpr int each = 20'000;
  std::atomic<int> run{0};
  int unguarded = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        for (int round = 0; round < each; ++round) {
          asio::post(served.queue.executor(), [&] {
            ++unguarded;
            ++run;
          });
          if (round % 100 == 0) {
            while (run < round) std::this_thread::yield();  // so that it is empty now and then
          }
        }
      });
    }
  }
  served.close();
  EXPECT_EQ(run, 4 * each);
  EXPECT_EQ(unguarded, 4 * each);
}

TEST(Queue, DoesNotCloseBeforeWorkIsDone) {
  for (int round = 0; round < 200; ++round) {
    Served served;
    std::atomic<bool> is_done{false};
    auto tracked = asio::prefer(asio::any_io_executor(served.queue.executor()),
                                asio::execution::outstanding_work.tracked);
    // It is held here, before the queue may close.
    std::promise<void> held;
    asio::post(served.queue.executor(), [&] { held.set_value(); });
    held.get_future().wait();
    std::thread other([own = std::move(tracked), &is_done]() mutable {
      std::this_thread::yield();
      asio::post(own, [&is_done] { is_done = true; });
      own = asio::any_io_executor();
    });
    served.close();
    EXPECT_TRUE(is_done);
    other.join();
  }
}

TEST(Queue, DropsWhatIsPostedWhenItIsClosed) {
  Served served;
  served.close();
  auto owned = std::make_shared<int>(1);
  asio::post(served.queue.executor(), [owned] { FAIL(); });
  EXPECT_EQ(owned.use_count(), 1);
}

TEST(Queue, IsLeftWhenNothingIsOutstandingAndServedAgain) {
  TestedQueue own;
  QueueContext& queue = *own;
  int run = 0;
  for (int round = 0; round < 3; ++round) {
    asio::post(queue.executor(), [&] {
      ++run;
      queue.leave();
    });
    std::thread([&] { queue.run(); }).join();
    EXPECT_EQ(run, round + 1);
  }
}

TEST(Queue, AStrandHasTheContextOfWhoMadeIt) {
  Served served;
  std::promise<std::string> seen;
  std::promise<std::string> seen_plainly;
  {
    const auto guard = user.set("ada");
    asio::post(served.queue.strand(), [&] { seen.set_value(user.value_or("nobody")); });
    asio::post(served.queue.executor(), [&] { seen_plainly.set_value(user.value_or("nobody")); });
  }
  EXPECT_EQ(seen.get_future().get(), "ada");
  EXPECT_EQ(seen_plainly.get_future().get(), "nobody");
}

// All that a handler may wait with, on the thread of its queue before and after.
TEST(Queue, CoroutinesWaitOnIt) {
  Served served;
  Pool pool({.minimum = 1});
  const auto guard = user.set("ada");
  const auto work = [&]() -> asio::awaitable<int> {
    int wrong = 0;
    const auto look = [&] {
      if (!served.queue.is_here() || user.value_or("nobody") != "ada") ++wrong;
    };
    for (int i = 0; i < 20; ++i) {
      co_await sleep_for(100us);
      look();
      co_await weft::sleep_for(100us);  // a timer of Asio's, on the same executor
      look();
      asio::steady_timer timer(co_await asio::this_coro::executor, 100us);
      co_await timer.async_wait(asio::use_awaitable);
      look();
      if (co_await offload(pool, [] { return user.value_or("nobody"); }) != "ada") ++wrong;
      look();
    }
    co_return wrong;
  };
  EXPECT_EQ(coroutine::result_of(served.queue.executor(), work()), 0);
}

TEST(Queue, SleepersWakeWhenTheyAreCancelled) {
  Served served;
  for (int round = 0; round < 100; ++round) {
    CancelSource source;
    auto result = coroutine::future_of(
        served.queue.executor(), []() -> asio::awaitable<void> { co_await sleep_for(1h); }(),
        source.token());
    if (round % 2 == 0) std::this_thread::yield();
    source.cancel(CancelReason::client);
    EXPECT_THROW(result.get(), Cancelled);
  }
}

}  // namespace
}  // namespace weft::grpc
