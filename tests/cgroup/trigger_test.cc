// SPDX-License-Identifier: Apache-2.0
// PSI triggers that fire, that do not, that are refused, and that lose their cgroup.
#include <gtest/gtest.h>
#include <poll.h>

#include <chrono>
#include <optional>
#include <utility>

#include <weft/pressure.h>

#include "os/file.h"
#include "tests/support/affinity.h"
#include "tests/support/burners.h"
#include "tests/support/sleeper.h"
#include "tests/support/unified_group.h"

namespace weft::budget {
namespace {

using std::chrono::milliseconds;

// The kernel tells of an event at the earliest one window after the trigger was armed, two seconds
// here; the rest is against hanging.
constexpr milliseconds longest_wait{10'000};

class HostTrigger : public testing::Test {
 protected:
  void SetUp() override {
    const auto file = os::open_to_update("/proc/pressure/cpu");
    if (!file) GTEST_SKIP() << file.error().message;
  }
};

TEST_F(HostTrigger, FiresUnderContention) {
  TriggerSpec spec;
  spec.stall = milliseconds(100);
  const support::Burners burners(2 * support::allowed_cpus().size());
  // Once in hundreds of runs the kernel (6.18) told nothing for all of the time, on a machine that
  // was contended throughout. Then one that is made anew has to.
  Trigger::Event event = Trigger::Event::timeout;
  for (int attempt = 0; attempt < 2 && event == Trigger::Event::timeout; ++attempt) {
    const Trigger trigger(spec);
    ASSERT_TRUE(trigger.active()) << trigger.problem();
    EXPECT_EQ(trigger.problem(), "");
    event = trigger.wait(longest_wait);
  }
  EXPECT_EQ(event, Trigger::Event::pressure);
}

// "full" means that no task at all gets on, and this test does.
TEST_F(HostTrigger, TimesOutWhereTheStallIsImpossible) {
  TriggerSpec spec;
  spec.resource = Resource::memory;
  spec.full = true;
  spec.stall = milliseconds(1'999);
  spec.window = milliseconds(2'000);
  const Trigger trigger(spec);
  ASSERT_TRUE(trigger.active()) << trigger.problem();
  EXPECT_EQ(trigger.wait(milliseconds(200)), Trigger::Event::timeout);
  EXPECT_EQ(trigger.wait(milliseconds(0)), Trigger::Event::timeout);
}

TEST_F(HostTrigger, MovesWithItsDescriptor) {
  Trigger first{TriggerSpec{}};
  ASSERT_TRUE(first.active()) << first.problem();
  const int descriptor = first.descriptor();
  Trigger second = std::move(first);
  EXPECT_EQ(second.descriptor(), descriptor);
  // NOLINTBEGIN(bugprone-use-after-move,clang-analyzer-cplusplus.Move): what is promised of it
  EXPECT_FALSE(first.active());
  EXPECT_EQ(first.wait(milliseconds(1'000'000)), Trigger::Event::gone);
  // NOLINTEND(bugprone-use-after-move,clang-analyzer-cplusplus.Move)
  first = std::move(second);
  EXPECT_EQ(first.descriptor(), descriptor);
}

TEST_F(HostTrigger, SaysWhatIsWrongWithTheWindow) {
  for (const milliseconds window : {milliseconds(100), milliseconds(11'000)}) {
    TriggerSpec spec;
    spec.stall = milliseconds(50);
    spec.window = window;
    const Trigger trigger(spec);
    EXPECT_FALSE(trigger.active());
    EXPECT_EQ(trigger.descriptor(), -1);
    EXPECT_NE(trigger.problem().find("/proc/pressure/cpu"), std::string::npos) << trigger.problem();
    EXPECT_NE(trigger.problem().find(std::to_string(window.count()) + "000"), std::string::npos);
    EXPECT_NE(trigger.problem().find("500 ms to 10 s"), std::string::npos);
    EXPECT_EQ(trigger.wait(milliseconds(1'000'000)), Trigger::Event::gone);
  }
}

TEST_F(HostTrigger, SaysThatTheStallIsLongerThanTheWindow) {
  TriggerSpec spec;
  spec.stall = milliseconds(3'000);
  spec.window = milliseconds(2'000);
  const Trigger trigger(spec);
  EXPECT_FALSE(trigger.active());
  EXPECT_NE(trigger.problem().find("longer than the stall"), std::string::npos);
}

class UnifiedTrigger : public testing::Test {
 protected:
  void SetUp() override {
    auto made = support::UnifiedGroup::create();
    if (!made) GTEST_SKIP() << made.error().message;
    group_.emplace(std::move(*made));
    const auto file = os::open_to_update(group_->directory() + "/cpu.pressure");
    if (!file) GTEST_SKIP() << file.error().message;
  }

  std::optional<support::UnifiedGroup> group_;
};

TEST_F(UnifiedTrigger, FiresForOurOwnCgroup) {
  ASSERT_TRUE(group_->enter().ok());
  TriggerSpec spec;
  spec.scope = Scope::cgroup;
  spec.stall = milliseconds(100);
  const Trigger trigger(spec);
  ASSERT_TRUE(trigger.active()) << trigger.problem();
  const support::OnOneCpu on_one_cpu;
  const support::Burners burners(3);
  EXPECT_EQ(trigger.wait(longest_wait), Trigger::Event::pressure);
}

TEST_F(UnifiedTrigger, IsGoneWithTheCgroup) {
  support::Sleeper sleeper;
  ASSERT_TRUE(group_->enter(sleeper.process()).ok());
  TriggerSpec spec;
  spec.scope = Scope::cgroup;
  Query query;
  query.process = sleeper.process();
  const Trigger trigger(spec, query);
  ASSERT_TRUE(trigger.active()) << trigger.problem();
  EXPECT_EQ(trigger.wait(milliseconds(50)), Trigger::Event::timeout);
  sleeper.end();
  group_->remove();
  EXPECT_EQ(trigger.wait(milliseconds(10'000)), Trigger::Event::gone);
}

}  // namespace
}  // namespace weft::budget
