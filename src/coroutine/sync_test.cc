// SPDX-License-Identifier: Apache-2.0
// Mutex, semaphore and channel of coroutines; whoever is cancelled takes nothing along.
#include <weft/coroutine_sync.h>
#include <weft/coroutines.h>

#include <gtest/gtest.h>

#include <atomic>
#include <boost/asio/post.hpp>
#include <future>
#include <memory>
#include <numeric>
#include <vector>

#include "coroutine/await_test_support.h"

namespace weft {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using coroutine::future_of;
using coroutine::result_of;

asio::awaitable<void> hop() {
  co_await asio::post(co_await asio::this_coro::executor, asio::use_awaitable);
}

TEST(AsyncMutex, IsHeldOverAnAwait) {
  Coroutines coroutines({.threads = 4});
  AsyncMutex mutex;
  int inside = 0;  // guarded by the mutex, as is what it adds up to
  int sum = 0;
  const auto work = [&]() -> asio::awaitable<void> {
    for (int i = 0; i < 100; ++i) {
      const AsyncMutex::Lock lock = co_await mutex.lock();
      EXPECT_EQ(++inside, 1);
      const int before = sum;
      co_await hop();
      sum = before + 1;
      --inside;
    }
  };
  std::vector<std::future<void>> all;
  for (int i = 0; i < 20; ++i) all.push_back(future_of(coroutines.executor(), work()));
  for (auto& each : all) each.get();
  EXPECT_EQ(sum, 2000);
}

TEST(AsyncMutex, IsNotLostWhenWhoWaitsIsCancelled) {
  Coroutines coroutines({.threads = 2});
  AsyncMutex mutex;
  const auto take = [&]() -> asio::awaitable<void> {
    const AsyncMutex::Lock lock = co_await mutex.lock();
    co_await hop();
  };
  int cancelled = 0;
  for (int round = 0; round < 300; ++round) {
    CancelSource source;
    auto lock = mutex.try_lock();
    ASSERT_TRUE(lock) << "it was lost in round " << round;
    auto waits = future_of(coroutines.executor(), take(), source.token());
    if (round % 2 == 0) std::this_thread::sleep_for(30us);
    auto release = std::async(std::launch::async, [&] { lock->release(); });
    source.cancel(CancelReason::client);
    try {
      waits.get();
    } catch (const Cancelled&) {
      ++cancelled;
    }
    release.get();
    result_of(coroutines.executor(), take());
  }
  EXPECT_GT(cancelled, 0);
}

TEST(AsyncSemaphore, LetsSoManyIn) {
  Coroutines coroutines({.threads = 4});
  AsyncSemaphore semaphore(3);
  std::atomic<int> inside{0};
  std::atomic<int> most{0};
  const auto work = [&]() -> asio::awaitable<void> {
    const auto permit = co_await semaphore.acquire();
    const int now = ++inside;
    for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
    }
    co_await sleep_for(1ms);
    --inside;
  };
  std::vector<std::future<void>> all;
  for (int i = 0; i < 30; ++i) all.push_back(future_of(coroutines.executor(), work()));
  for (auto& each : all) each.get();
  EXPECT_EQ(most, 3);
}

TEST(Channel, GivesEverythingOnceAndInOrder) {
  Coroutines coroutines({.threads = 2});
  Channel<std::unique_ptr<int>> channel(2);
  const auto send = [&]() -> asio::awaitable<void> {
    for (int i = 0; i < 500; ++i) EXPECT_TRUE(co_await channel.send(std::make_unique<int>(i)));
    channel.close();
    EXPECT_FALSE(co_await channel.send(std::make_unique<int>(0)));
  };
  const auto receive = [&]() -> asio::awaitable<int> {
    int count = 0;
    while (const auto item = co_await channel.receive()) EXPECT_EQ(**item, count++);
    co_return count;
  };
  auto sent = future_of(coroutines.executor(), send());
  EXPECT_EQ(result_of(coroutines.executor(), receive()), 500);
  sent.get();
}

TEST(Channel, HoldsBackWhoSendsTooMuch) {
  Coroutines coroutines({.threads = 1});
  Channel<int> channel(2);
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(channel.try_send(i));
  int third = 3;
  EXPECT_FALSE(channel.try_send(third));
  const CancelScope scope(std::chrono::steady_clock::now() + 5ms);
  const auto send = [&]() -> asio::awaitable<void> { co_await channel.send(3); };
  EXPECT_THROW(result_of(coroutines.executor(), send()), Cancelled);
}

// What was taken in comes out, whoever is cancelled meanwhile; and nobody is left waiting.
TEST(Channel, LosesNothingToThoseThatAreCancelled) {
  Coroutines coroutines({.threads = 3});
  Channel<int> channel(2);
  std::atomic<int> sent{0};
  std::atomic<int> received{0};
  const auto send = [&]() -> asio::awaitable<void> {
    for (int i = 0; i < 20; ++i) {
      if (co_await channel.send(i)) ++sent;
    }
  };
  const auto receive = [&]() -> asio::awaitable<void> {
    while (co_await channel.receive()) ++received;
  };
  std::vector<std::unique_ptr<CancelSource>> sources;
  std::vector<std::future<void>> senders;
  std::vector<std::future<void>> receivers;
  receivers.push_back(future_of(coroutines.executor(), receive()));  // the one that stays
  for (int i = 0; i < 300; ++i) {
    sources.push_back(std::make_unique<CancelSource>());
    const CancelToken token = i % 3 == 0 ? sources.back()->token() : CancelToken();
    senders.push_back(future_of(coroutines.executor(), send(), token));
    receivers.push_back(future_of(coroutines.executor(), receive(), sources.back()->token()));
    if (i >= 20) sources[static_cast<std::size_t>(i - 20)]->cancel(CancelReason::client);
  }
  const auto end_of = [](std::future<void>& each) {
    try {
      each.get();
    } catch (const Cancelled&) {
    }
  };
  for (auto& each : senders) end_of(each);
  channel.close();
  for (auto& each : receivers) end_of(each);
  EXPECT_EQ(sent, received);
  EXPECT_GE(sent, 200 * 20);
}

}  // namespace
}  // namespace weft
