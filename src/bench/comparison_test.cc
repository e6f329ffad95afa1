// SPDX-License-Identifier: Apache-2.0
// The order of contenders, what is recorded, and what a failure says.
#include "bench/comparison.h"

#include <gtest/gtest.h>

namespace weft::bench {
namespace {

Contender recording(const std::string& name, std::string& order, double& clock) {
  return {name, [name, &order, &clock]() -> base::Result<double> {
            order += name;
            return ++clock;
          }};
}

TEST(Comparison, TurnsTheOrderAroundEachRepetitionAfterAWarmUp) {
  std::string order;
  double clock = 0;
  Progress quiet(-1);
  const auto samples = run_interleaved(
      {recording("A", order, clock), recording("B", order, clock), recording("C", order, clock)}, 3,
      quiet);
  ASSERT_TRUE(samples);
  EXPECT_EQ(order,
            "CBA"
            "ABC"
            "CBA"
            "ABC");
  // The warm-up took the clock to 3 and is not among the numbers.
  EXPECT_EQ((*samples)[0], (std::vector<double>{4, 9, 10}));
  EXPECT_EQ((*samples)[1], (std::vector<double>{5, 8, 11}));
  EXPECT_EQ((*samples)[2], (std::vector<double>{6, 7, 12}));
}

TEST(Comparison, AFailureNamesTheContenderAndTheRepetition) {
  int runs = 0;
  Progress quiet(-1);
  const auto samples = run_interleaved({{"ours", []() -> base::Result<double> { return 1.0; }},
                                        {"rival",
                                         [&]() -> base::Result<double> {
                                           if (++runs < 3) return 1.0;
                                           return base::Error{"connection refused", 111};
                                         }}},
                                       5, quiet);
  ASSERT_FALSE(samples);
  EXPECT_EQ(samples.error().message, "rival failed (repetition 2 of 5): connection refused");
  EXPECT_EQ(samples.error().code, 111);
}

}  // namespace
}  // namespace weft::bench
