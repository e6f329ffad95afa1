// SPDX-License-Identifier: Apache-2.0
// Log lines: which request, and one line whatever is said.
#include <spdlog/logger.h>
#include <spdlog/sinks/ostream_sink.h>
#include <weft/log.h>
#include <weft/trace.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace weft {
namespace {

struct Lines {
  std::ostringstream text;
  LogSinks sinks{std::make_shared<spdlog::sinks::ostream_sink_mt>(text)};
  // Behind the time.
  std::string last() const {
    const std::string all = text.str();
    return all.substr(all.find(' ') + 1);
  }
};

TEST(Log, SaysWhichRequestItIs) {
  Lines lines;
  const auto log = make_logger("links", lines.sinks);
  const auto guard = current_correlation.set("order-17");
  log->info("looked up {}", "a");
  EXPECT_EQ(lines.last(), "info links [order-17] looked up a\n");
}

TEST(Log, SaysNothingOfItWhereThereIsNone) {
  Lines lines;
  make_logger("links", lines.sinks)->warn("the database is away");
  EXPECT_EQ(lines.last(), "warning links the database is away\n");
}

TEST(Log, IsJsonWhereItIsAskedFor) {
  Lines lines;
  const auto correlation = current_correlation.set("order-17");
  const auto trace = current_trace.set(
      {*parse_traceparent("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"), ""});
  make_logger("links", lines.sinks, LogFormat::json)->error("no \"key\"\n");
  const std::string line = lines.text.str();
  EXPECT_EQ(line.substr(line.find(",\"level\"")),
            R"(,"level":"error","logger":"links","correlation":"order-17",)"
            R"("trace":"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",)"
            R"("message":"no \"key\"\\x0a"})"
            "\n");
}

TEST(Log, IsOneLineWhateverIsSaid) {
  const auto printed = [](std::string_view text) {
    std::string line;
    log::append_printable(line, text);
    return line;
  };
  EXPECT_EQ(printed("grün, 日本, 🙂"), "grün, 日本, 🙂");
  EXPECT_EQ(printed("a\r\nb"), "a\\x0d\\x0ab");
  EXPECT_EQ(printed("\x1b[31m"), "\\x1b[31m");
  EXPECT_EQ(printed("\xff\xfe"), "\\xff\\xfe");
  EXPECT_EQ(printed("\xc0\xaf"), "\\xc0\\xaf") << "longer than it may be";
  EXPECT_EQ(printed("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "half of a pair";
  EXPECT_EQ(printed("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
  EXPECT_EQ(printed("\xe2\x80\xa8"), "\\xe2\\x80\\xa8") << "a line separator";
  EXPECT_EQ(printed("\xc2\x85"), "\\xc2\\x85");
  EXPECT_EQ(printed("\xe6\x97"), "\\xe6\\x97") << "cut off";
  EXPECT_EQ(printed(std::string_view("\0", 1)), "\\x00");
}

TEST(Log, OfAnotherThreadIsThatOfWhoSaidIt) {
  Lines lines;
  {
    const auto log = make_async_logger("links", lines.sinks, LogFormat::text, 64 * 1024);
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&, i] {
        for (int line = 0; line < 100; ++line) {
          const auto guard = current_correlation.set("request-" + std::to_string(i));
          log->info("of request-{}", i);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  std::istringstream all(lines.text.str());
  int count = 0;
  for (std::string line; std::getline(all, line); ++count) {
    const std::string name = line.substr(line.rfind(' ') + 1);
    EXPECT_NE(line.find("[" + name + "]"), std::string::npos) << line;
  }
  EXPECT_EQ(count, 400);
}

}  // namespace
}  // namespace weft
