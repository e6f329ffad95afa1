// SPDX-License-Identifier: Apache-2.0
// Ambient values: what a guard gives back, and what comes along.
#include <weft/context.h>

#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "context/strand.h"

namespace weft {
namespace {

constexpr Ambient<std::string> user("user");
constexpr Ambient<int> level("level");

std::string user_here() {
  return user.value_or("nobody");
}

// One that can be ended where it should not be.
std::unique_ptr<Ambient<std::string>::Guard> guard_of(const char* name) {
  return std::unique_ptr<Ambient<std::string>::Guard>(
      new Ambient<std::string>::Guard(user.set(name)));
}

TEST(Ambient, IsSetUntilTheGuardGoes) {
  EXPECT_EQ(user.get(), nullptr);
  {
    const auto guard = user.set("ada");
    EXPECT_EQ(user_here(), "ada");
  }
  EXPECT_EQ(user.get(), nullptr);
}

TEST(Ambient, RestoresWhatWasBefore) {
  const auto outer = user.set("ada");
  {
    const auto inner = user.set("grace");
    EXPECT_EQ(user_here(), "grace");
  }
  EXPECT_EQ(user_here(), "ada");
}

TEST(Ambient, KeepsItsKindsApart) {
  const auto name = user.set("ada");
  const auto number = level.set(3);
  EXPECT_EQ(user_here(), "ada");
  EXPECT_EQ(level.value_or(0), 3);
}

TEST(Ambient, IsEachThreadsOwn) {
  const auto guard = user.set("ada");
  std::thread([] { EXPECT_EQ(user_here(), "nobody"); }).join();
}

TEST(Ambient, SharesAValueWithoutACopy) {
  const auto value = std::make_shared<const std::string>("ada");
  const auto guard = user.share(value);
  EXPECT_EQ(user.get(), value.get());
}

TEST(Context, GoesToAnotherThread) {
  const auto guard = user.set("ada");
  std::thread([context = Context::capture()] {
    {
      const Attached attached(context);
      EXPECT_EQ(user_here(), "ada");
    }
    EXPECT_EQ(user_here(), "nobody");
  }).join();
}

TEST(Context, OutlivesTheGuardsThatItWasCapturedUnder) {
  std::optional<Context> context;
  {
    const auto guard = user.set("ada");
    context = Context::capture();
  }
  const Attached attached(*context);
  EXPECT_EQ(user_here(), "ada");
}

TEST(Context, HidesWhatTheThreadHas) {
  const auto guard = user.set("ada");
  {
    const Attached attached{Context()};
    EXPECT_EQ(user_here(), "nobody");
    const auto inner = user.set("grace");
    EXPECT_EQ(user_here(), "grace");
  }
  EXPECT_EQ(user_here(), "ada");
}

TEST(Context, IsBoundToAFunction) {
  auto ask = [guard = user.set("ada")] { return bind_context([] { return user_here(); }); }();
  EXPECT_EQ(user_here(), "nobody");
  EXPECT_EQ(ask(), "ada");
  EXPECT_EQ(user_here(), "nobody");
}

TEST(Guard, ThatGoesOnAnotherThreadIsCountedAndTouchesNothingThere) {
  const auto before = guard_misuses();
  auto stray = guard_of("ada");
  std::thread([&] {
    const auto own = user.set("grace");
    stray.reset();
    EXPECT_EQ(user_here(), "grace");
  }).join();
  EXPECT_EQ(guard_misuses().on_another_strand, before.on_another_strand + 1);
  EXPECT_EQ(user_here(), "nobody") << "the value stayed on the thread that it was set on";
}

TEST(Guard, ThatGoesTooEarlyLeavesTheInnerOneAlone) {
  const auto before = guard_misuses();
  auto outer = guard_of("ada");
  {
    const auto inner = level.set(3);
    outer.reset();
    EXPECT_EQ(level.value_or(0), 3);
    EXPECT_EQ(user_here(), "nobody");
  }
  EXPECT_EQ(guard_misuses().out_of_order, before.out_of_order + 1);
  EXPECT_EQ(user_here(), "nobody");
  EXPECT_EQ(level.get(), nullptr);
}

TEST(Guard, OfAContextThatGoesTooEarlyGivesBackWhatItHid) {
  const auto own = user.set("ada");
  auto attached = std::make_unique<Attached>(Context());
  {
    const auto inner = level.set(3);
    attached.reset();
    EXPECT_EQ(level.value_or(0), 3);
    EXPECT_EQ(user_here(), "ada");
  }
  EXPECT_EQ(user_here(), "ada");
  EXPECT_EQ(level.get(), nullptr);
}

TEST(Guard, ThatGoesTooEarlyLeavesNoMemoryBehind) {
  for (int i = 0; i < 1000; ++i) {
    auto outer = guard_of("ada");
    const auto inner = level.set(i);
    outer.reset();
  }
  EXPECT_TRUE(Context::capture().empty());
}

// Work that hands itself on, with guards of its own each time.
TEST(Context, DoesNotGrowWithTheHops) {
  const auto lives = std::make_shared<int>(0);
  constexpr Ambient<std::shared_ptr<int>> owner("owner");
  Context context;
  for (int hop = 0; hop < 10'000; ++hop) {
    const Attached attached(context);
    ASSERT_EQ(level.value_or(-1), hop - 1);
    const auto number = level.set(hop);
    const auto name = owner.set(lives);
    context = Context::capture();
  }
  EXPECT_LT(lives.use_count(), 64);
}

TEST(Context, DoesNotGrowWithTheHopsOfBoundFunctions) {
  const auto lives = std::make_shared<int>(0);
  static constexpr Ambient<std::shared_ptr<int>> owner("owner");
  std::function<void()> next = [] {};
  for (int hop = 0; hop < 10'000; ++hop) {
    const Attached attached{Context()};
    next();
    const auto guard = owner.set(lives);
    next = bind_context([&] { const auto own = owner.set(lives); });
  }
  EXPECT_LT(lives.use_count(), 64);
}

TEST(Guard, GivenOnHandOverHandKeepsNothing) {
  const auto lives = std::make_shared<int>(0);
  static constexpr Ambient<std::shared_ptr<int>> owner("owner");
  using OwnerGuard = Ambient<std::shared_ptr<int>>::Guard;
  std::unique_ptr<OwnerGuard> held;
  std::unique_ptr<Attached> attached;
  for (int i = 0; i < 1000; ++i) {
    std::unique_ptr<OwnerGuard> next(new OwnerGuard(owner.set(lives)));
    held = std::move(next);
    attached = std::make_unique<Attached>(Context::capture());
  }
  EXPECT_LT(lives.use_count(), 64);
  held.reset();
  attached.reset();
  EXPECT_EQ(owner.get(), nullptr);
  EXPECT_EQ(lives.use_count(), 1);
}

// Whatever becomes of the guards that it was captured under.
TEST(Context, NeverChanges) {
  const auto root = user.set("root");
  auto attached = std::make_unique<Attached>(Context());
  auto ada = guard_of("ada");
  const auto number = level.set(1);
  const Context context = Context::capture();
  std::thread([&] { ada.reset(); }).join();
  attached.reset();
  EXPECT_EQ(user_here(), "root");
  const Attached again(context);
  EXPECT_EQ(user_here(), "ada");
  EXPECT_EQ(level.value_or(0), 1);
}

TEST(Guard, MayGoWhenItsThreadHasEnded) {
  std::thread([] {
    thread_local std::unique_ptr<Ambient<std::string>::Guard> late;
    late.reset();  // made before the strand is, and so ended after it
    late = guard_of("ada");
  }).join();
  EXPECT_EXIT(
      {
        static const auto late = user.set("ada");
        std::exit(0);
      },
      testing::ExitedWithCode(0), "");
}

struct Entered {
  explicit Entered(context::Strand& strand) : previous(context::enter(&strand)) {}
  ~Entered() { context::enter(previous); }
  Entered(const Entered&) = delete;
  Entered& operator=(const Entered&) = delete;
  context::Strand* const previous;
};

struct Asked final : context::Source {
  const void* find(const context::Key& key) const noexcept override {
    ++questions;
    return &key == &user.key() ? &name : nullptr;
  }
  const std::string name = "asked";
  mutable int questions = 0;
};

TEST(Source, MakesWhatItIsAskedFor) {
  static constexpr context::Key key{"source"};
  const auto source = std::make_shared<const Asked>();
  const auto outer = level.set(1);
  context::Strand strand(context::visible_with(key, source));
  std::optional<Context> captured;
  {
    const Entered entered(strand);
    EXPECT_EQ(source->questions, 0);
    EXPECT_EQ(user_here(), "asked");
    EXPECT_EQ(level.value_or(0), 1);  // it has none, and what is below is seen
    EXPECT_EQ(source->questions, 2);
    const auto newer = user.set("newer");
    EXPECT_EQ(user_here(), "newer");
    EXPECT_EQ(source->questions, 2);
    captured = Context::capture();
  }
  EXPECT_EQ(user_here(), "nobody");
  // Long lists are made anew, and keep it.
  for (int i = 0; i < 100; ++i) {
    const Attached attached(*captured);
    const auto more = level.set(i);
    captured = Context::capture();
  }
  strand.restart({});
  const Attached attached(*captured);
  EXPECT_EQ(user_here(), "newer");
  EXPECT_EQ(level.value_or(0), 99);
}

TEST(Strand, BeginsAnewWithoutWhatWasLeft) {
  context::Strand strand;
  const GuardMisuses before = guard_misuses();
  std::unique_ptr<Ambient<std::string>::Guard> left;
  {
    const Entered entered(strand);
    left = guard_of("left");
    EXPECT_EQ(user_here(), "left");
  }
  strand.restart({});
  const Entered entered(strand);
  EXPECT_EQ(user_here(), "nobody");
  const auto next = user.set("next");
  left.reset();
  EXPECT_EQ(user_here(), "next");
  EXPECT_EQ(guard_misuses().on_another_strand, before.on_another_strand + 1);
}

TEST(Strand, HasItsOwnContextWhereverItRuns) {
  context::Strand strand;
  const auto own = user.set("host");
  auto kept = [&] {
    const Entered entered(strand);
    EXPECT_EQ(user_here(), "nobody");
    return guard_of("ada");
  }();
  EXPECT_EQ(user_here(), "host");
  const auto before = guard_misuses();
  std::thread([&] {
    const Entered entered(strand);
    EXPECT_EQ(user_here(), "ada");
    kept.reset();
    EXPECT_EQ(user_here(), "nobody");
  }).join();
  EXPECT_EQ(guard_misuses().on_another_strand, before.on_another_strand);
  EXPECT_EQ(user_here(), "host");
}

// Many threads share the nodes of what they have captured.
TEST(Context, IsSharedByThreads) {
  const auto guard = user.set("ada");
  const Context context = Context::capture();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      for (int round = 0; round < 2'000; ++round) {
        const Attached attached(context);
        const auto number = level.set(i);
        ASSERT_EQ(user_here(), "ada");
        ASSERT_EQ(level.value_or(-1), i);
        bind_context([&] { ASSERT_EQ(level.value_or(-1), i); })();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace weft
