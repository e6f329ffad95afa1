// SPDX-License-Identifier: Apache-2.0
// docs/guide/observability.md: a log that names the wrong request, and an average that hides those
// who waited.
#include <spdlog/async.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/ostream_sink.h>
#include <weft/log.h>
#include <weft/trace.h>

#include <gtest/gtest.h>

#include <cstdio>
#include <memory>
#include <sstream>
#include <string>

#include "measure/histogram.h"

namespace weft {
namespace {

using namespace std::chrono_literals;

thread_local std::string request_of_thread;

// %*: the request, as it is often added to a pattern.
class RequestFlag final : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg&, const std::tm&,
              spdlog::memory_buf_t& line) override {
    line.append(request_of_thread.data(), request_of_thread.data() + request_of_thread.size());
  }
  std::unique_ptr<custom_flag_formatter> clone() const override {
    return std::make_unique<RequestFlag>();
  }
};

TEST(TheBug, AFormatterRunsWhereTheLineIsWritten) {
  std::ostringstream lines;
  {
    const auto writer = std::make_shared<spdlog::details::thread_pool>(64, 1);
    const auto log = std::make_shared<spdlog::async_logger>(
        "links", std::make_shared<spdlog::sinks::ostream_sink_mt>(lines), writer);
    auto formatter = std::make_unique<spdlog::pattern_formatter>();
    formatter->add_flag<RequestFlag>('*').set_pattern("[%*] %v");
    log->set_formatter(std::move(formatter));
    request_of_thread = "order-17";
    log->info("paid");
  }
  EXPECT_EQ(lines.str(), "[] paid\n") << "the bug does not show any more, and the guide is wrong";
}

TEST(TheCure, ALineNamesTheRequestOfWhoSaidIt) {
  std::ostringstream lines;
  {
    const auto log = make_async_logger(
        "links", {std::make_shared<spdlog::sinks::ostream_sink_mt>(lines)}, LogFormat::text);
    const auto guard = current_correlation.set("order-17");
    log->info("paid");
  }
  EXPECT_NE(lines.str().find("links [order-17] paid\n"), std::string::npos) << lines.str();
}

// A service that answers in a millisecond, a thousand times a second, and stands still for one
// second of sixty: in virtual time.
struct Minute {
  measure::Snapshot from_sending;   // by a client that waits for one answer before it asks again
  measure::Snapshot from_intended;  // by a schedule, as people come
};

Minute minute_with_a_stop() {
  Minute minute;
  const auto answered = [](std::chrono::nanoseconds asked) {
    const bool is_stopped = asked >= 30s && asked < 31s;
    return (is_stopped ? std::chrono::nanoseconds(31s) : asked) + 1ms;
  };
  for (std::chrono::nanoseconds now = 0s; now < 60s;) {
    const auto answer = answered(now);
    minute.from_sending.record(answer - now);
    now = answer;
  }
  for (std::chrono::nanoseconds due = 0s; due < 60s; due += 1ms) {
    minute.from_intended.record(answered(due) - due);
  }
  return minute;
}

TEST(TheBug, WhoWaitsForAnAnswerBeforeAskingAgainMissesTheStop) {
  const Minute minute = minute_with_a_stop();
  EXPECT_LE(minute.from_sending.quantile(0.999), 2ms)
      << "the bug does not show any more, and the guide is wrong";
}

TEST(TheBug, AnAverageHidesThoseWhoWaited) {
  const Minute minute = minute_with_a_stop();
  EXPECT_LE(minute.from_intended.mean(), 10ms);
}

TEST(TheCure, AScheduleAndAQuantileShowThem) {
  const Minute minute = minute_with_a_stop();
  for (const measure::Snapshot* const seen : {&minute.from_sending, &minute.from_intended}) {
    std::printf("mean %ld ms, P99 %ld ms, P99.9 %ld ms\n", seen->mean() / 1ms,
                seen->quantile(0.99) / 1ms, seen->quantile(0.999) / 1ms);
  }
  EXPECT_GE(minute.from_intended.quantile(0.99), 300ms);
  EXPECT_GE(minute.from_intended.quantile(0.999), 900ms);
}

}  // namespace
}  // namespace weft
