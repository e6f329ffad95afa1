// SPDX-License-Identifier: Apache-2.0
// docs/guide/coroutines.md: a lock of threads that is held over a co_await stops the thread that
// would have to give it back.
#include <weft/coroutine_sync.h>
#include <weft/coroutines.h>

#include <gtest/gtest.h>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <mutex>

namespace weft {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

asio::awaitable<void> others_have_a_turn() {
  co_await asio::post(co_await asio::this_coro::executor, asio::use_awaitable);
}

// One thread, two requests. The second one stands on the thread that the first one needs to go on.
TEST(TheBug, ALockHeldOverAnAwaitIsNotGivenBack) {
  asio::io_context context;
  std::timed_mutex mutex;
  bool second_had_it = false;
  const auto first = [&]() -> asio::awaitable<void> {
    const std::unique_lock lock(mutex);
    co_await others_have_a_turn();
  };
  const auto second = [&]() -> asio::awaitable<void> {
    // A lock without a time-out would wait for ever here.
    second_had_it = mutex.try_lock_for(20ms);
    if (second_had_it) mutex.unlock();
    co_return;
  };
  asio::co_spawn(context, first(), asio::detached);
  asio::co_spawn(context, second(), asio::detached);
  context.run();
  EXPECT_FALSE(second_had_it) << "the bug does not show any more, and the guide is wrong";
}

TEST(TheCure, AnAsyncMutexWaitsWithoutTheThread) {
  asio::io_context context;
  AsyncMutex mutex;
  int had_it = 0;
  const auto request = [&]() -> asio::awaitable<void> {
    const AsyncMutex::Lock lock = co_await mutex.lock();
    co_await others_have_a_turn();
    ++had_it;
  };
  for (int i = 0; i < 2; ++i) spawn(context.get_executor(), request());
  context.run();
  EXPECT_EQ(had_it, 2);
}

}  // namespace
}  // namespace weft
