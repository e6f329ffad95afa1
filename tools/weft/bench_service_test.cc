// SPDX-License-Identifier: Apache-2.0
// Overloads in their parts, counters, schedules, and the cells.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "bench_service_cells.h"
#include "bench_service_samples.h"

namespace weft::tool {
namespace {

// A request each 10 ms, answered as `answer` says for its time.
template <class Answer>
std::vector<HttpSample> every_10_ms(double seconds, Answer answer) {
  std::vector<HttpSample> samples;
  for (int i = 0; i < static_cast<int>(seconds * 100); ++i) {
    HttpSample sample{.intended = i / 100.0};
    answer(sample);
    samples.push_back(sample);
  }
  return samples;
}

TEST(BenchService, AnOverloadInItsParts) {
  // Quiet for 2 s, half refused for 4 s, and slow for another second.
  int number = 0;
  const auto samples = every_10_ms(10, [&](HttpSample& sample) {
    const bool is_overload = sample.intended >= 2 && sample.intended < 6;
    sample.is_good = !is_overload || ++number % 2 == 0;
    sample.latency = !sample.is_good ? 10'000 : is_overload ? 8 : sample.intended < 7 ? 50 : 5;
    if (sample.intended < 2) sample.latency = 5;
  });
  const auto numbers = overload_numbers(samples, 2, 4);
  ASSERT_TRUE(numbers);
  EXPECT_DOUBLE_EQ(numbers->unloaded_p99, 5);
  EXPECT_DOUBLE_EQ(numbers->goodput, 50);
  EXPECT_DOUBLE_EQ(numbers->p99, 8);
  EXPECT_DOUBLE_EQ(numbers->settled_p99, 8);
  EXPECT_DOUBLE_EQ(numbers->recovery, 1);
}

TEST(BenchService, ASecondWithoutTroubleIsARecovery) {
  // Slow for a moment half a second behind the end, and again much later.
  const auto samples = every_10_ms(10, [&](HttpSample& sample) {
    sample.is_good = true;
    const double behind = sample.intended - 6;
    sample.latency = (behind > 0.5 && behind < 0.7) || behind > 3 ? 100 : 5;
  });
  const auto numbers = overload_numbers(samples, 2, 4);
  ASSERT_TRUE(numbers);
  EXPECT_DOUBLE_EQ(numbers->recovery, 0.75);
}

TEST(BenchService, WhatNeverRecoversIsNotSeenTo) {
  const auto samples = every_10_ms(10, [&](HttpSample& sample) {
    sample.is_good = sample.intended < 5;
    sample.latency = 5;
  });
  const auto numbers = overload_numbers(samples, 2, 4);
  ASSERT_TRUE(numbers);
  EXPECT_TRUE(std::isnan(numbers->recovery));
  EXPECT_FALSE(overload_numbers({}, 2, 4));
}

TEST(BenchService, StallsOfTheHostAreLeftOut) {
  // Stopped from 3.0 to 3.2 s: what was due then is late, and what was under way is slow.
  const auto samples = every_10_ms(10, [&](HttpSample& sample) {
    sample.is_good = true;
    const double late = sample.intended >= 3 && sample.intended < 3.2 ? 3.2 - sample.intended : 0;
    sample.slip = late * 1000;
    sample.latency = late != 0 ? sample.slip + 5 : 5;
  });
  const Stalls stalls(samples, 1);
  EXPECT_NEAR(stalls.seconds_in(2, 6), 0.4, 0.011);
  EXPECT_EQ(stalls.seconds_in(4, 6), 0);
  const auto calm = stalls.without(samples);
  EXPECT_NEAR(static_cast<double>(samples.size() - calm.size()), 41, 1);
  const auto numbers = overload_numbers(calm, 2, 4, stalls.seconds_in(2, 6));
  ASSERT_TRUE(numbers);
  EXPECT_DOUBLE_EQ(numbers->p99, 5);
  EXPECT_NEAR(numbers->goodput, 100, 2);
  EXPECT_GT(overload_numbers(samples, 2, 4)->p99, 50);
  const CalmPart part = calm_part(samples, 2, 4, 1);
  EXPECT_EQ(part.void_because, "");
  EXPECT_EQ(part.samples.size(), calm.size());
  // A tenth of what is measured in one case, and nearly a third in the other.
  EXPECT_NE(calm_part(samples, 2.7, 1.3, 1).void_because.find("30 %"), std::string::npos);
  // What is no stall is lateness.
  EXPECT_NE(calm_part(samples, 2, 4, 1000).void_because.find("late"), std::string::npos);
}

TEST(BenchService, WhatAnswersNothingInAnOverloadHasNoGoodAnswers) {
  const auto samples = every_10_ms(10, [&](HttpSample& sample) {
    sample.is_good = sample.intended < 2 || sample.intended >= 6;
    sample.latency = sample.is_good ? 5 : 10'000;
  });
  const auto numbers = overload_numbers(samples, 2, 4);
  ASSERT_TRUE(numbers);
  EXPECT_EQ(numbers->goodput, 0);
  EXPECT_TRUE(std::isnan(numbers->p99));
  EXPECT_EQ(numbers->recovery, 0);
}

// What is slow by itself is not: the generator was there to see it.
TEST(BenchService, WhatIsSlowIsNoStall) {
  const auto samples = every_10_ms(10, [&](HttpSample& sample) {
    sample.is_good = true;
    sample.latency = sample.intended >= 3 && sample.intended < 3.1 ? 100 : 5;
  });
  EXPECT_EQ(Stalls(samples, 1).without(samples).size(), samples.size());
}

TEST(BenchService, CountersOfBothVersions) {
  const auto first =
      parse_quota_counters("nr_periods 10\nnr_throttled 4\nthrottled_time 2500000000\n");
  const auto second = parse_quota_counters(
      "usage_usec 900\nnr_periods 110\nnr_throttled 29\nthrottled_usec 3500000\n");
  const auto changed = between(first, second);
  EXPECT_EQ(changed.periods, 100);
  EXPECT_EQ(changed.throttled_periods, 25);
  EXPECT_DOUBLE_EQ(changed.throttled_seconds, 1);
  EXPECT_EQ(parse_quota_counters("").periods, 0);
}

TEST(BenchService, PlacesAreReadFromTheLog) {
  const auto places = parse_places(
      "[info] bench: 2 cores\n[info] bench: serving: HTTP on 127.0.0.1:1, gRPC on 127.0.0.1:2, "
      "admin on 127.0.0.1:3\n");
  ASSERT_TRUE(places);
  EXPECT_EQ(places->http, "127.0.0.1:1");
  EXPECT_EQ(places->grpc, "127.0.0.1:2");
  EXPECT_TRUE(parse_places("serving: HTTP on 127.0.0.1:1\n")->grpc.empty());
  EXPECT_FALSE(parse_places("serving: HTTP on 127.0"));  // half a line
}

double requests_of(const std::string& segments) {
  double requests = 0;
  for (const auto& segment : nlohmann::json::parse(segments)) {
    const auto length = segment.at("length").get<std::string>();
    requests += segment.at("rate").get<double>() * std::stod(length) / 1000;
  }
  return requests;
}

TEST(BenchService, SchedulesAskWhatTheyShould) {
  const ServiceTimes times;
  EXPECT_NEAR(requests_of(segments_text(burst_segments(1000, times))),
              0.8 * 1000 * times.open_seconds, 1);
  EXPECT_NEAR(
      requests_of(segments_text(overload_segments(1000, 10, times))),
      10'000 * times.overload_seconds + 400 * (times.quiet_seconds + times.recovery_seconds), 1);
}

TEST(BenchService, EachCellComparesWhoIsInIt) {
  const ServiceProfile all{
      .target = "/", .waiting_target = "/wait", .model_variable = "MODEL", .grpc_text = "x"};
  for (const ServiceCell& cell : service_cells(false, all)) {
    const TurnCell turns = turns_of(cell);
    for (const TurnComparison& comparison : turns.comparisons) {
      TurnSamples samples(turns);
      EXPECT_TRUE(row_of(samples, comparison, 1)) << cell.name << ": " << comparison.title;
    }
  }
  EXPECT_EQ(service_cells(false, all).size(), service_cells(false, {.target = "/"}).size() + 5);
}

TEST(BenchService, ServicesAreKnownByTheirPrograms) {
  EXPECT_EQ(profile_of("/any/where/weft-bench-service")->target, "/pages/7");
  EXPECT_FALSE(profile_of("/any/where/links")->model_variable.empty());
  EXPECT_FALSE(profile_of("/bin/true"));
}

}  // namespace
}  // namespace weft::tool
