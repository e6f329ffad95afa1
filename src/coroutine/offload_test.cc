// SPDX-License-Identifier: Apache-2.0
// Calls that block, from a coroutine: run, refused, cancelled.
#include <weft/coroutines.h>

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <string>
#include <thread>

#include "coroutine/await_test_support.h"

namespace weft {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using coroutine::future_of;
using coroutine::result_of;

constexpr Ambient<std::string> user("user");

// A pool of one thread that can be held.
struct HeldPool {
  HeldPool()
      : pool({.policy = Policy::fixed, .minimum = 1, .maximum = 1, .cpus = 1, .capacity = 1}) {}
  void hold() {
    pool.submit([this] {
      held.set_value();
      released.get_future().wait();
    });
    held.get_future().wait();
  }
  std::promise<void> held, released;
  Pool pool;
};

TEST(Offload, RunsOnThePoolAndGoesOnWhereItWas) {
  Coroutines coroutines({.threads = 1});
  const auto guard = user.set("ada");
  const auto work = [&]() -> asio::awaitable<bool> {
    const auto here = std::this_thread::get_id();
    std::string seen;
    const auto there = co_await offload(coroutines.blocking(), [&] {
      seen = user.value_or("nobody");
      return std::this_thread::get_id();
    });
    EXPECT_EQ(seen, "ada");
    EXPECT_EQ(user.value_or("nobody"), "ada");
    EXPECT_EQ(std::this_thread::get_id(), here);
    co_return there != here;
  };
  EXPECT_TRUE(result_of(coroutines.executor(), work()));
}

TEST(Offload, ThrowsWhatTheFunctionThrows) {
  Coroutines coroutines({.threads = 1});
  const auto work = [&]() -> asio::awaitable<void> {
    co_await offload(coroutines.blocking(), [] { throw std::runtime_error("no such table"); });
  };
  EXPECT_THROW(result_of(coroutines.executor(), work()), std::runtime_error);
}

TEST(Offload, ThatItsWatchHoldsToBeLateIsNeverBegun) {
  struct Late final : OffloadWatch {
    bool begins(const JobTimes&) const noexcept override { return false; }
  };
  Coroutines coroutines({.threads = 1});
  const auto guard = offload_watch.share(std::make_shared<const Late>());
  bool was_begun = false;
  CancelReason reason = CancelReason::none;
  const auto work = [&]() -> asio::awaitable<void> {
    try {
      co_await offload(coroutines.blocking(), [&] { was_begun = true; });
    } catch (const Cancelled& cancelled) {
      reason = cancelled.reason();
    }
  };
  result_of(coroutines.executor(), work());
  EXPECT_FALSE(was_begun);
  EXPECT_EQ(reason, CancelReason::overload);
}

TEST(Offload, ThatIsCancelledInTheQueueIsNeverBegun) {
  HeldPool held;
  held.hold();
  Coroutines coroutines({.threads = 1});
  CancelSource source;
  std::atomic<bool> was_begun{false};
  const auto work = [&]() -> asio::awaitable<void> {
    co_await offload(held.pool, [&] { was_begun = true; });
  };
  auto result = future_of(coroutines.executor(), work(), source.token());
  while (held.pool.counters().queued != 1) std::this_thread::yield();
  source.cancel(CancelReason::client);
  try {
    result.get();
    FAIL() << "it was begun";
  } catch (const Cancelled& cancelled) {
    EXPECT_EQ(cancelled.reason(), CancelReason::client);
  }
  held.released.set_value();
  held.pool.drain();
  EXPECT_FALSE(was_begun);
}

TEST(Offload, ThatHasBegunIsWaitedForAndIsTold) {
  Coroutines coroutines({.threads = 1});
  CancelSource source;
  std::promise<void> begun;
  const auto work = [&]() -> asio::awaitable<void> {
    const CancelScope scope(std::chrono::steady_clock::time_point::max(), source.token());
    co_await offload(coroutines.blocking(), [&] {
      std::promise<void> told;
      const OnCancel tell(cancellation(), [&] { told.set_value(); });
      begun.set_value();
      told.get_future().wait();
      cancellation().check();
    });
  };
  auto result = future_of(coroutines.executor(), work(), CancelToken());
  begun.get_future().wait();
  source.cancel(CancelReason::shutdown);
  try {
    result.get();
    FAIL() << "it was not told";
  } catch (const Cancelled& cancelled) {
    EXPECT_EQ(cancelled.reason(), CancelReason::shutdown);
  }
}

TEST(Offload, IsRefusedWhereThereIsNoRoom) {
  HeldPool held;
  held.hold();
  held.pool.submit([] {});
  Coroutines coroutines({.threads = 1});
  const auto work = [&]() -> asio::awaitable<void> { co_await offload(held.pool, [] {}); };
  try {
    result_of(coroutines.executor(), work());
    ADD_FAILURE() << "there was room";
  } catch (const Cancelled& cancelled) {
    EXPECT_EQ(cancelled.reason(), CancelReason::overload);
  }
  held.released.set_value();
}

}  // namespace
}  // namespace weft
