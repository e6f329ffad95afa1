// SPDX-License-Identifier: Apache-2.0
// The order of the end, in virtual time.
#include "service/ending.h"

#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>
#include <string>
#include <vector>

namespace weft::service {
namespace {

using namespace std::chrono_literals;

struct Story {
  Ending ending;
  std::vector<std::string> order;
  Ending::Clock::time_point time{};
  std::vector<Ending::Outcome> end(std::chrono::nanoseconds grace = 10s) {
    return ending.run(grace, [this] { return time; });
  }
  Ending::Step step(const std::string& name, std::chrono::nanoseconds takes = 0s) {
    return [this, name, takes](Ending::Clock::time_point deadline) {
      order.push_back(name);
      time += takes;
      return time <= deadline;
    };
  }
  void add(Stage stage, const std::string& name, std::chrono::nanoseconds takes = 0s) {
    ending.add(stage, name, step(name, takes));
  }
};

TEST(Ending, IsInTheOrderOfTheStagesWhateverTheOrderOfTheMaking) {
  Story story;
  story.add(Stage::flushing, "log");
  story.add(Stage::databases, "database");
  story.add(Stage::servers, "http");
  story.add(Stage::servers, "grpc");
  story.add(Stage::unready, "readiness");
  story.add(Stage::pools, "pool");
  story.add(Stage::leaving, "pause");
  story.end();
  EXPECT_EQ(story.order, (std::vector<std::string>{"readiness", "pause", "grpc", "http", "pool",
                                                   "database", "log"}));
}

TEST(Ending, GoesOnBehindAStepThatFails) {
  Story story;
  story.ending.add(Stage::servers, "http",
                   [](auto) -> bool { throw std::runtime_error("no port"); });
  story.ending.add(Stage::pools, "pool", [](auto) -> bool { throw 1; });
  story.add(Stage::databases, "database", 20s);
  story.add(Stage::flushing, "log");
  const auto outcomes = story.end(10s);
  ASSERT_EQ(outcomes.size(), 4U);
  EXPECT_EQ(outcomes[0].problem, "no port");
  EXPECT_NE(outcomes[1].problem, "");
  EXPECT_EQ(outcomes[2].problem, "not all was done in time");
  EXPECT_EQ(outcomes[2].took, 20s);
  EXPECT_EQ(story.order.back(), "log");
}

TEST(Ending, GivesAllStepsOneDeadline) {
  Story story;
  std::vector<std::chrono::nanoseconds> left;
  for (const Stage stage : {Stage::servers, Stage::pools}) {
    story.ending.add(stage, "step", [&](Ending::Clock::time_point deadline) {
      left.push_back(deadline - story.time);
      story.time += 4s;
      return true;
    });
  }
  story.end(10s);
  EXPECT_EQ(left, (std::vector<std::chrono::nanoseconds>{10s, 6s}));
}

TEST(Ending, IsOnce) {
  Story story;
  story.add(Stage::servers, "http");
  story.end();
  EXPECT_TRUE(story.end().empty());
  EXPECT_EQ(story.order.size(), 1U);
}

}  // namespace
}  // namespace weft::service
