// SPDX-License-Identifier: Apache-2.0
// Coroutines: their context over every await, their threads, their end.
#include <weft/coroutines.h>

#include <gtest/gtest.h>

#include <atomic>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <fstream>
#include <future>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "coroutine/await_test_support.h"

namespace weft {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using coroutine::result_of;

constexpr Ambient<std::string> user("user");
constexpr Ambient<int> level("level");

std::string user_here() {
  return user.value_or("nobody");
}

// Goes on behind whatever else waits, on whichever thread is free.
asio::awaitable<void> hop() {
  co_await asio::post(co_await asio::this_coro::executor, asio::use_awaitable);
}

TEST(Coroutines, HaveTheContextOfWhoSpawnsThem) {
  Coroutines coroutines({.threads = 1});
  const auto guard = user.set("ada");
  const auto ask = []() -> asio::awaitable<std::string> { co_return user_here(); };
  EXPECT_EQ(result_of(coroutines.executor(), ask()), "ada");
  const auto host = [](Coroutines& all) {
    return std::async([&] {
             return result_of(all.executor(),
                              []() -> asio::awaitable<std::string> { co_return user_here(); }());
           })
        .get();
  };
  EXPECT_EQ(host(coroutines), "nobody") << "the thread has kept what was the coroutine's";
}

// Each sets its own name, and looks at it on all threads.
asio::awaitable<int> wander(int name, std::set<std::thread::id>& threads, std::mutex& mutex) {
  const auto guard = level.set(name);
  int wrong = 0;
  for (int i = 0; i < 200; ++i) {
    {
      const std::scoped_lock lock(mutex);
      threads.insert(std::this_thread::get_id());
    }
    const auto inner = user.set(std::to_string(name * 1000 + i));
    i % 10 == 0 ? co_await sleep_for(10us) : co_await hop();
    if (level.value_or(-1) != name || user_here() != std::to_string(name * 1000 + i)) ++wrong;
  }
  co_return wrong;
}

TEST(Coroutines, KeepTheirContextOverEveryAwait) {
  Coroutines coroutines({.threads = 4});
  const auto before = guard_misuses();
  std::set<std::thread::id> threads;
  std::mutex mutex;
  std::vector<std::future<int>> all;
  for (int i = 0; i < 50; ++i) {
    all.push_back(coroutine::future_of(coroutines.executor(), wander(i, threads, mutex)));
  }
  for (auto& each : all) EXPECT_EQ(each.get(), 0);
  EXPECT_GT(threads.size(), 1U) << "nothing was shown";
  EXPECT_EQ(guard_misuses().on_another_strand, before.on_another_strand);
  EXPECT_EQ(guard_misuses().out_of_order, before.out_of_order);
}

TEST(Coroutines, KeepTheirContextOnBranches) {
  using namespace asio::experimental::awaitable_operators;
  Coroutines coroutines({.threads = 2});
  const auto before = guard_misuses();
  std::set<std::thread::id> threads;
  std::mutex mutex;
  const auto both = [&]() -> asio::awaitable<int> {
    const auto guard = user.set("ada");
    const auto [one, other] =
        co_await (branch(wander(1, threads, mutex)) && branch(wander(2, threads, mutex)));
    co_return one + other + (user_here() == "ada" ? 0 : 1);
  };
  EXPECT_EQ(result_of(coroutines.executor(), both()), 0);
  EXPECT_EQ(guard_misuses().out_of_order, before.out_of_order);
}

TEST(Coroutines, ThrowToWhoWaits) {
  Coroutines coroutines({.threads = 1});
  const auto fail = []() -> asio::awaitable<int> {
    co_await hop();
    throw std::runtime_error("no such row");
  };
  EXPECT_THROW(result_of(coroutines.executor(), fail()), std::runtime_error);
}

TEST(Coroutines, FollowTheirSize) {
  Coroutines coroutines({.threads = 1});
  for (const std::uint32_t size : {4U, 1U, 3U}) {
    coroutines.resize(size);
    EXPECT_EQ(coroutines.threads(), size);
    // So many can be held at the same time; and when it is fewer, not one more.
    std::atomic<std::uint32_t> held{0};
    std::atomic<std::uint32_t> most{0};
    const auto hold = [&]() -> asio::awaitable<void> {
      const std::uint32_t now = ++held;
      for (std::uint32_t seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
      }
      std::this_thread::sleep_for(2ms);
      --held;
      co_return;
    };
    // Those that are one too many leave after the piece of work that they are at.
    for (int i = 0; i < 8; ++i) {
      result_of(coroutines.executor(), []() -> asio::awaitable<void> { co_await hop(); }());
    }
    std::vector<std::future<void>> all;
    for (int i = 0; i < 40; ++i) {
      all.push_back(coroutine::future_of(coroutines.executor(), hold()));
    }
    for (auto& each : all) each.get();
    EXPECT_EQ(most, size);
  }
}

TEST(Coroutines, StopWhenTheirTokenIsCancelled) {
  Coroutines coroutines({.threads = 2});
  CancelSource source;
  std::promise<void> begun;
  const auto sleep = [&]() -> asio::awaitable<void> {
    begun.set_value();
    co_await sleep_for(1h);
  };
  auto result = coroutine::future_of(coroutines.executor(), sleep(), source.token());
  begun.get_future().wait();
  source.cancel(CancelReason::client);
  try {
    result.get();
    FAIL() << "it slept for an hour";
  } catch (const Cancelled& cancelled) {
    EXPECT_EQ(cancelled.reason(), CancelReason::client);
  }
}

TEST(Coroutines, StopAtTheirDeadline) {
  Coroutines coroutines({.threads = 2});
  const CancelScope scope(std::chrono::steady_clock::now() + 5ms);
  const auto sleep = []() -> asio::awaitable<void> { co_await sleep_for(1h); };
  try {
    result_of(coroutines.executor(), sleep());
    FAIL() << "it slept for an hour";
  } catch (const Cancelled& cancelled) {
    EXPECT_EQ(cancelled.reason(), CancelReason::deadline);
  }
}

TEST(Coroutines, ThatAreCancelledBeforeDoNotGetFar) {
  Coroutines coroutines({.threads = 1});
  CancelSource source;
  source.cancel(CancelReason::shutdown);
  bool went_on = false;
  const auto sleep = [&]() -> asio::awaitable<void> {
    co_await sleep_for(1h);
    went_on = true;
  };
  EXPECT_THROW(result_of(coroutines.executor(), sleep(), source.token()), Cancelled);
  EXPECT_FALSE(went_on);
}

// Both sides are cancelled, and Asio says so in one exception of two.
TEST(Coroutines, StopOnBothSidesAsWell) {
  using namespace asio::experimental::awaitable_operators;
  Coroutines coroutines({.threads = 2});
  const auto sleep = [](bool all) -> asio::awaitable<void> {
    if (all) {
      co_await (branch(sleep_for(1h)) && branch(sleep_for(1h)));
    } else {
      co_await (branch(sleep_for(1h)) || branch(sleep_for(1h)));
    }
  };
  for (const bool all : {false, true}) {
    const CancelScope scope(std::chrono::steady_clock::now() + 2ms);
    EXPECT_THROW(result_of(coroutines.executor(), sleep(all)), Cancelled);
  }
}

TEST(Coroutines, HaveLessTimeForAPart) {
  Coroutines coroutines({.threads = 1});
  const auto work = []() -> asio::awaitable<bool> {
    bool was_late = false;
    try {
      co_await within(std::chrono::steady_clock::now() + 2ms, sleep_for(1h));
    } catch (const Cancelled& cancelled) {
      was_late = cancelled.reason() == CancelReason::deadline;
    }
    co_await hop();  // the rest has its own time
    co_return was_late && !cancellation().is_cancelled();
  };
  EXPECT_TRUE(result_of(coroutines.executor(), work()));
  CancelSource source;
  const auto endless = []() -> asio::awaitable<void> {
    co_await within(std::chrono::steady_clock::time_point::max(), sleep_for(1h));
  };
  auto result = coroutine::future_of(coroutines.executor(), endless(), source.token());
  source.cancel(CancelReason::client);
  EXPECT_THROW(result.get(), Cancelled);
}

asio::awaitable<void> begin_the_next(int left, std::promise<void>& done) {
  if (left == 0) {
    done.set_value();
  } else {
    spawn(co_await asio::this_coro::executor, begin_the_next(left - 1, done));
  }
}

TEST(Coroutines, MayBeginOneAnotherForEver) {
  Coroutines coroutines({.threads = 1});
  std::promise<void> done;
  spawn(coroutines.executor(), begin_the_next(20'000, done));
  done.get_future().wait();
}

TEST(Coroutines, BeginBehindWhoSpawnsThem) {
  Coroutines coroutines({.threads = 1});
  const auto work = [&]() -> asio::awaitable<bool> {
    bool has_begun = false;
    const auto executor = co_await asio::this_coro::executor;
    spawn(executor, [&]() -> asio::awaitable<void> {
      has_begun = true;
      co_return;
    });
    const bool was_at_once = has_begun;
    while (!has_begun) co_await hop();
    co_return was_at_once;
  };
  EXPECT_FALSE(result_of(coroutines.executor(), work()));
}

TEST(Coroutines, ThatAreNeverResumedEndInTheirOwnContext) {
  const auto before = guard_misuses();
  {
    asio::io_context context;
    spawn(context.get_executor(), []() -> asio::awaitable<void> {
      const auto guard = user.set("ada");
      co_await sleep_for(1h);
    });
    context.poll();
  }
  EXPECT_EQ(guard_misuses().on_another_strand, before.on_another_strand);
}

TEST(Coroutines, LeaveNoThreadsBehind) {
  Coroutines coroutines({.threads = 1});
  for (int i = 0; i < 200; ++i) {
    coroutines.resize(3);
    coroutines.resize(1);
    result_of(coroutines.executor(), hop());
  }
  std::ifstream file("/proc/self/status");
  std::size_t address_space_kib = 0;
  for (std::string word; file >> word;) {
    if (word == "VmSize:") file >> address_space_kib;
  }
  // 400 stacks would be three gibibytes; sanitizers have terabytes of their own.
  if (address_space_kib < (std::size_t{1} << 32U)) {
    EXPECT_LT(address_space_kib, std::size_t{2} << 20U);
  }
}

TEST(Coroutines, CancelledAtAnyTimeEndOnceAndLeaveNothing) {
  Coroutines coroutines({.threads = 2});
  const auto work = [](Pool& pool) -> asio::awaitable<int> {
    const auto guard = user.set("ada");
    for (int i = 0; i < 3; ++i) {
      co_await hop();
      co_await sleep_for(20us);
      co_await offload(pool, [] { std::this_thread::yield(); });
    }
    co_return 1;
  };
  int done = 0;
  int cancelled = 0;
  for (int round = 0; round < 400; ++round) {
    CancelSource source;
    auto result =
        coroutine::future_of(coroutines.executor(), work(coroutines.blocking()), source.token());
    std::this_thread::sleep_for(std::chrono::microseconds(round % 200));
    source.cancel(CancelReason::client);
    try {
      done += result.get();
    } catch (const Cancelled&) {
      ++cancelled;
    }
  }
  EXPECT_EQ(done + cancelled, 400);
  EXPECT_GT(cancelled, 0);
}

}  // namespace
}  // namespace weft
