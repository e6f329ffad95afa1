// SPDX-License-Identifier: Apache-2.0
// The summary says what the numbers say, also where they do not speak for us.
#include "summary.h"

#include <gtest/gtest.h>

namespace weft::demo {
namespace {

Trial trial_of(double requests, double milliseconds, double cpu_seconds, double threads_ran) {
  return {.requests = requests,
          .seconds = 1,
          .p50_milliseconds = milliseconds,
          .p99_milliseconds = 2 * milliseconds,
          .server = {.cpu = {.user_seconds = cpu_seconds},
                     .switches = requests * threads_ran / 100,
                     .threads = 70,
                     .threads_ran = threads_ran},
          .client_cpu_seconds = 0.5};
}

Comparison of(std::vector<Trial> native, std::vector<Trial> weft) {
  return {"server", 64, {std::move(native), std::move(weft)}};
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Summary, TellsWhatIsBetter) {
  const std::string table = to_table(of({trial_of(1000, 4, 1, 64), trial_of(1000, 4, 1, 64)},
                                        {trial_of(2000, 2, 1, 2), trial_of(3000, 1, 1, 2)}));
  EXPECT_TRUE(has(table, "server, 64 connections")) << table;
  EXPECT_TRUE(has(table, "2.50")) << table;  // the median of 2 and 3
  EXPECT_TRUE(has(table, "2.5 times as many are answered")) << table;
  EXPECT_TRUE(has(table, "The usual request takes 0.38 of the time")) << table;
  EXPECT_TRUE(has(table, "58 % less CPU time")) << table;
  EXPECT_TRUE(has(table, "the others sleep")) << table;
}

TEST(Summary, TellsWhatIsWorse) {
  const std::string table = to_table(of({trial_of(1000, 2, 1, 2)}, {trial_of(500, 4, 1, 4)}));
  EXPECT_TRUE(has(table, "weft is slower here")) << table;
  EXPECT_TRUE(has(table, "2.0 times as long: a price of weft")) << table;
  EXPECT_TRUE(has(table, "100 % more CPU time")) << table;
  EXPECT_TRUE(has(table, "switches more often")) << table;
  EXPECT_TRUE(has(table, "As many for the kernel to schedule")) << table;
}

TEST(Summary, DoesNotClaimWhatDiffersBetweenRounds) {
  const std::string table = to_table(of({trial_of(1000, 2, 1, 2), trial_of(1000, 2, 1, 2)},
                                        {trial_of(500, 4, 1, 2), trial_of(2000, 1, 1, 2)}));
  EXPECT_TRUE(has(table, "weft is not faster here")) << table;
  EXPECT_FALSE(has(table, "of the time")) << table;
  EXPECT_FALSE(has(table, "a price")) << table;
}

TEST(Summary, TellsWhenTheClientIsTheLimit) {
  Trial weft = trial_of(2000, 1, 0.7, 1);
  weft.client_cpu_seconds = 1;
  EXPECT_TRUE(has(explain_limit(of({trial_of(1000, 2, 1, 64)}, {weft})), "client is the limit"));
  weft.server.cpu.user_seconds = 1;
  EXPECT_FALSE(has(explain_limit(of({trial_of(1000, 2, 1, 64)}, {weft})), "client is the limit"));
}

TEST(Summary, TellsWhenSomebodyElseHasTheCpus) {
  Trial starved = trial_of(100, 9, 0.1, 2);
  starved.client_cpu_seconds = 0.2;
  EXPECT_TRUE(has(explain_limit(of({starved}, {starved})), "other work has the CPUs"));
  EXPECT_FALSE(has(explain_limit(of({trial_of(1000, 2, 1, 64)}, {trial_of(2000, 1, 1, 2)})),
                   "other work has the CPUs"));
}

}  // namespace
}  // namespace weft::demo
