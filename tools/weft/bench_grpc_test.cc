// SPDX-License-Identifier: Apache-2.0
// What the generators print, and the cells.
#include <gtest/gtest.h>

#include <cmath>

#include "bench_grpc_cells.h"
#include "bench_grpc_measurement.h"

namespace weft::tool {
namespace {

constexpr const char* h2load_text =
    "starting benchmark...\n"
    "Warm-up phase is over for thread #0.\n"
    "finished in 3.00s, 13118.50 req/s, 1.74MB/s\n"
    "requests: 26237 total, 26301 started, 26237 done, 26237 succeeded, 0 failed, 0 errored\n"
    "status codes: 26237 2xx, 0 3xx, 0 4xx, 0 5xx\n";

TEST(BenchGrpc, ReadsWhatH2loadPrints) {
  const auto numbers = parse_h2load_summary(h2load_text);
  ASSERT_TRUE(numbers) << numbers.error().message;
  EXPECT_DOUBLE_EQ(numbers->at("rate"), 13118.5);
}

TEST(BenchGrpc, AnOpenLoopSaysWhatFailedAndWhyItIsVoid) {
  const auto measured = parse_grpc_open_load(
      R"({"calls": 100, "good": 20, "refused": 70, "void_because": "it was late"})");
  ASSERT_TRUE(measured);
  EXPECT_DOUBLE_EQ(measured->failed, 0.1);
  EXPECT_EQ(measured->void_because, "it was late");
  EXPECT_FALSE(parse_grpc_open_load("no JSON"));
}

TEST(BenchGrpc, CallsThatFailedAreAnError) {
  std::string text = h2load_text;
  text.replace(text.find("26237 2xx"), 9, "26200 2xx");
  const auto numbers = parse_h2load_summary(text);
  ASSERT_FALSE(numbers);
  EXPECT_NE(numbers.error().message.find("26200"), std::string::npos);
  EXPECT_FALSE(parse_h2load_summary("h2load: cannot connect\n"));
  EXPECT_FALSE(parse_grpc_load(R"({"calls_per_second": 5, "failed": 1})"));
  EXPECT_FALSE(parse_grpc_load("not JSON"));
  EXPECT_FALSE(parse_grpc_load("[1]"));
  EXPECT_FALSE(parse_grpc_readers(R"({"slowest_per_second": 1, "failed": 2})"));
}

TEST(BenchGrpc, ReadsWhatOurGeneratorsPrint) {
  const auto load = parse_grpc_load(
      R"({"calls_per_second": 14447, "calls": 3, "failed": 0, "p50_microseconds": 9.5,
          "p99_microseconds": 19.25})");
  ASSERT_TRUE(load);
  EXPECT_EQ(load->at("rate"), 14447);
  EXPECT_EQ(load->at("p99"), 19.25);
  const auto readers = parse_grpc_readers(
      R"({"bytes_per_second": 100000000, "slowest_per_second": 990000, "failed": 0})");
  ASSERT_TRUE(readers);
  EXPECT_DOUBLE_EQ(readers->at("rate"), 100);
  EXPECT_DOUBLE_EQ(readers->at("slowest"), 0.99);
}

TEST(BenchGrpc, APortIsKnownWhenItsLineIsWhole) {
  EXPECT_EQ(parse_port("listening on 5051\n"), 5051);
  EXPECT_EQ(parse_port("hello\nlistening on 5051\nmore"), 5051);
  EXPECT_EQ(parse_port("listening on 50"), std::nullopt);
  EXPECT_EQ(parse_port(""), std::nullopt);
}

TEST(BenchGrpc, GrowthIsTheLastThirdToTheFirst) {
  EXPECT_DOUBLE_EQ(growth_of({10, 10, 11, 40, 12, 20, 20, 22, 20}), 2);
  EXPECT_DOUBLE_EQ(growth_of({5, 100, 5}), 1);
  EXPECT_TRUE(std::isnan(growth_of({1, 2})));
}

TEST(BenchGrpc, ABodyHasItsLengths) {
  EXPECT_EQ(grpc_body("ab"), std::string("\0\0\0\0\4\n\2ab", 9));
  const std::string body = grpc_body(std::string(300, 'x'));
  EXPECT_EQ(body.substr(0, 8), std::string("\0\0\0\1\x2f\n\xac\2", 8));
  EXPECT_EQ(body.size(), 308U);
}

TEST(BenchGrpc, EachCellComparesWhoIsInIt) {
  for (const bool quick : {false, true}) {
    for (const GrpcCell& cell : grpc_cells(quick)) {
      const TurnCell turns = turns_of(cell);
      bool has_bar = false;
      for (const TurnComparison& comparison : turns.comparisons) {
        has_bar = has_bar || comparison.bar;
        EXPECT_EQ(comparison.ours, turns.contenders.front()) << cell.name;
      }
      EXPECT_TRUE(has_bar) << cell.name;
    }
  }
}

TEST(BenchGrpc, WhoIsMissingIsLeftOut) {
  const auto cells =
      without(grpc_cells(false), {GrpcServer::go, GrpcServer::pour, GrpcServer::pour_on_grpc});
  EXPECT_EQ(cells.size() + 1, grpc_cells(false).size());
  EXPECT_FALSE(servers_of(cells).contains(GrpcServer::go));
  EXPECT_TRUE(servers_of(cells).contains(GrpcServer::weft));
}

}  // namespace
}  // namespace weft::tool
