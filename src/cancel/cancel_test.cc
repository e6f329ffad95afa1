// SPDX-License-Identifier: Apache-2.0
// Sources, scopes and deadlines, with real threads.
#include <weft/cancel.h>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "cancel/timers.h"

namespace weft {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

void wait_for(const CancelToken& token) {
  while (!token.is_cancelled()) std::this_thread::sleep_for(100us);
}

TEST(CancelToken, OfNobodyIsNeverCancelled) {
  const CancelToken token;
  EXPECT_FALSE(token.is_cancelled());
  EXPECT_FALSE(token.stop_token().stop_possible());
  EXPECT_EQ(token.deadline(), Clock::time_point::max());
  EXPECT_EQ(token.remaining(), std::chrono::nanoseconds::max());
  EXPECT_NO_THROW(token.check());
}

TEST(CancelSource, GivesTheFirstReason) {
  CancelSource source;
  const CancelToken token = source.token();
  EXPECT_TRUE(source.cancel(CancelReason::client));
  EXPECT_FALSE(source.cancel(CancelReason::shutdown));
  EXPECT_EQ(token.reason(), CancelReason::client);
  EXPECT_TRUE(token.stop_token().stop_requested());
  try {
    token.check();
    FAIL() << "it went on";
  } catch (const Cancelled& cancelled) {
    EXPECT_EQ(cancelled.reason(), CancelReason::client);
    EXPECT_STREQ(cancelled.what(), "cancelled: the client has gone");
  }
}

TEST(CancelSource, HasTheReasonReadyForTheCallbacks) {
  CancelSource source;
  CancelReason seen = CancelReason::none;
  const CancelToken token = source.token();
  const OnCancel tell(token, [&] { seen = token.reason(); });
  source.cancel(CancelReason::overload);
  EXPECT_EQ(seen, CancelReason::overload);
}

TEST(CancelSource, EndsAtItsDeadline) {
  const auto deadline = Clock::now() + 5ms;
  const CancelSource source(deadline);
  const CancelToken token = source.token();
  EXPECT_EQ(token.deadline(), deadline);
  wait_for(token);
  EXPECT_GE(Clock::now(), deadline);
  EXPECT_EQ(token.reason(), CancelReason::deadline);
  EXPECT_EQ(token.remaining(), 0ns);
}

TEST(CancelSource, WithADeadlineThatHasPassedIsCancelledFromTheStart) {
  const CancelSource source(Clock::now() - 1ns);
  EXPECT_EQ(source.token().reason(), CancelReason::deadline);
}

TEST(CancelSource, ForgetsItsDeadlineWhenItGoes) {
  const std::size_t before = cancel::Timers::shared().size();
  {
    const CancelSource source(Clock::now() + 1h);
    EXPECT_EQ(cancel::Timers::shared().size(), before + 1);
  }
  EXPECT_EQ(cancel::Timers::shared().size(), before);
}

// Work may outlive the scope that it began in.
TEST(CancelToken, HasItsDeadlineAndItsParentsWhenTheSourceHasGone) {
  CancelSource process;
  CancelToken late;
  CancelToken told;
  {
    const CancelSource request(Clock::now() + 5ms, process.token());
    late = request.token();
    const CancelSource other(Clock::time_point::max(), process.token());
    told = other.token();
  }
  const CancelSource child(Clock::now() + 1h, late);
  wait_for(child.token());
  wait_for(late);
  EXPECT_EQ(child.token().reason(), CancelReason::deadline);
  EXPECT_EQ(late.reason(), CancelReason::deadline);
  process.cancel(CancelReason::shutdown);
  EXPECT_EQ(told.reason(), CancelReason::shutdown);
}

TEST(CancelSource, FollowsItsParent) {
  CancelSource parent;
  const CancelSource child(Clock::now() + 1h, parent.token());
  parent.cancel(CancelReason::shutdown);
  EXPECT_EQ(child.token().reason(), CancelReason::shutdown);
  const CancelSource late(Clock::time_point::max(), parent.token());
  EXPECT_EQ(late.token().reason(), CancelReason::shutdown);
}

TEST(CancelSource, DoesNotStopItsParent) {
  CancelSource parent;
  CancelSource child(Clock::time_point::max(), parent.token());
  child.cancel(CancelReason::client);
  EXPECT_FALSE(parent.token().is_cancelled());
}

TEST(CancelSource, HasNoLaterDeadlineThanItsParent) {
  const auto deadline = Clock::now() + 1h;
  const CancelSource parent(deadline);
  const CancelSource child(deadline + 1h, parent.token());
  EXPECT_EQ(child.token().deadline(), deadline);
}

TEST(CancelSource, MayGoInACallbackOfItsOwn) {
  auto parent = std::make_unique<CancelSource>();
  auto child = std::make_unique<CancelSource>(Clock::now() + 1h, parent->token());
  const OnCancel end(child->token(), [&] { child.reset(); });
  const OnCancel last(parent->token(), [] {});
  parent->cancel(CancelReason::client);
  EXPECT_EQ(child, nullptr);
}

TEST(CancelScope, IsAmbientForAsLongAsItLives) {
  EXPECT_FALSE(cancellation().stop_token().stop_possible());
  {
    CancelScope outer;
    {
      CancelScope inner(Clock::now() + 1h);
      EXPECT_NE(cancellation().deadline(), Clock::time_point::max());
      outer.cancel(CancelReason::client);
      EXPECT_EQ(cancellation().reason(), CancelReason::client);
    }
    EXPECT_EQ(cancellation().deadline(), Clock::time_point::max());
  }
  EXPECT_FALSE(cancellation().is_cancelled());
}

TEST(CancelScope, GoesWithTheContext) {
  CancelScope scope;
  std::thread([context = Context::capture(), &scope] {
    const Attached attached(context);
    EXPECT_FALSE(cancellation().is_cancelled());
    scope.cancel(CancelReason::client);
    EXPECT_TRUE(cancellation().is_cancelled());
  }).join();
}

TEST(Cancel, WhoWatchesItsOwnDeadlineNeedsNoTimer) {
  const std::size_t before = cancel::Timers::shared().size();
  CancelSource source(CancelSource::Watched(), Clock::now() - 1h);
  EXPECT_EQ(cancel::Timers::shared().size(), before);
  EXPECT_FALSE(source.token().is_cancelled());
  EXPECT_EQ(source.token().remaining(), 0ns);
  // Within it, a deadline that is no earlier is that one, and has passed.
  const CancelSource within(Clock::now() + 1h, source.token());
  EXPECT_EQ(cancel::Timers::shared().size(), before);
  source.cancel(CancelReason::deadline);
  EXPECT_EQ(within.token().reason(), CancelReason::deadline);
}

TEST(Timers, FireInOrderWhateverTheOrderTheyCameIn) {
  std::vector<int> order;  // written by the one thread, read when it has fired the last
  std::vector<std::unique_ptr<CancelSource>> sources;
  std::vector<std::unique_ptr<std::stop_callback<std::function<void()>>>> callbacks;
  std::atomic<int> fired{0};
  const auto begin = Clock::now() + 20ms;
  for (const int place : {7, 2, 9, 0, 4, 8, 1, 6, 3, 5}) {
    sources.push_back(std::make_unique<CancelSource>(begin + place * 1ms));
    callbacks.push_back(std::make_unique<std::stop_callback<std::function<void()>>>(
        sources.back()->token().stop_token(), [&, place] {
          order.push_back(place);
          ++fired;
        }));
  }
  sources[1].reset();  // place 2
  while (fired != 9) std::this_thread::sleep_for(1ms);
  EXPECT_EQ(order, (std::vector{0, 1, 3, 4, 5, 6, 7, 8, 9}));
}

// Whoever comes later than the one that it sleeps for wakes nobody, and fires all the same, also
// when that one has gone; whoever comes sooner does.
TEST(Timers, FireWhatCameBehindOneThatHasGone) {
  cancel::Timers timers;
  const auto add = [&](std::chrono::milliseconds from_now) {
    auto state = std::make_shared<cancel::State>();
    state->deadline = Clock::now() + from_now;
    timers.add(*state);
    return state;
  };
  const auto fires = [](const cancel::State& state) {
    while (state.reason.load() == CancelReason::none) std::this_thread::sleep_for(1ms);
    EXPECT_GE(Clock::now(), state.deadline);
  };
  for (int round = 0; round < 5; ++round) {
    const auto first = add(10ms);
    const auto hour = add(1h);
    std::this_thread::sleep_for(std::chrono::milliseconds(round));  // it sleeps, or not yet
    timers.remove(*first);
    const auto later = add(20ms);
    const auto sooner = add(5ms);
    fires(*sooner);
    fires(*later);
    EXPECT_EQ(first->reason.load(), CancelReason::none);
    timers.remove(*hour);
    EXPECT_EQ(timers.size(), 0U);
    fires(*add(1ms));
  }
}

TEST(Timers, EndWithWhatTheyKeep) {
  auto state = std::make_shared<cancel::State>();
  {
    cancel::Timers timers;
    state->deadline = Clock::now() + 1h;
    timers.add(*state);
  }
  EXPECT_EQ(state.use_count(), 1);
  EXPECT_EQ(state->reason.load(), CancelReason::none);
}

// Sources come and go while their deadlines pass, and others cancel them.
TEST(Cancel, Stress) {
  std::vector<std::thread> threads;
  CancelSource parent;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      for (int round = 0; round < 20'000; ++round) {
        CancelScope scope(Clock::now() + std::chrono::microseconds((round * 37 + i * 11) % 200),
                          parent.token());
        int calls = 0;
        {
          const OnCancel count(scope.token(), [&] { ++calls; });
          if (round % 3 == 0) scope.cancel(CancelReason::client);
          if (round % 5 == 0) wait_for(scope.token());
        }
        ASSERT_LE(calls, 1);
        ASSERT_TRUE(calls == 0 || scope.token().is_cancelled());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace weft
