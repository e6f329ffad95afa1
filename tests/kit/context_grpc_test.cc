// SPDX-License-Identifier: Apache-2.0
// A context never bleeds, with calls of a server among the hops: what goes along there is the
// correlation id and the trace, and nothing else.
#include <weft/trace.h>

#include "grpc/test_support.h"
#include "tests/kit/hops_test.h"

namespace weft::kit {
namespace {

using weft::grpc::Answer;
using weft::grpc::Line;

TEST(Context, NeverBleedsOverCalls) {
  const std::uint64_t seed = seed_of_today();
  std::function<void(std::uint64_t)> call;
  Hops hops({.seed = seed, .call = [&](std::uint64_t number) { call(number); }});
  weft::grpc::Handlers handlers;
  handlers.say = [&](weft::grpc::Call& own, const Line& request, Line& response) -> Answer {
    const auto number = static_cast<std::uint64_t>(request.number());
    if (number_here.get() != nullptr || step_here.get() != nullptr) {
      co_return ::grpc::Status(::grpc::StatusCode::INTERNAL, "a new call has ambient values");
    }
    const auto guard = number_here.set(number);
    hops.look(number, "handler");
    std::minstd_rand random(static_cast<std::uint32_t>(seed + number));
    if (random() % 2 == 0) co_await weft::grpc::sleep_for(std::chrono::microseconds(random() % 50));
    hops.look(number, "handler, later");
    co_await hops.linger(number, random);
    response = request;
    response.set_text(own.correlation());
    co_return ::grpc::Status::OK;
  };
  weft::grpc::EchoServer server(std::move(handlers));
  const std::array stubs{server.stub(), server.stub()};
  std::atomic<std::uint64_t> answered{0};
  call = [&](std::uint64_t number) {
    ::grpc::ClientContext context;
    weft::grpc::propagate(context);
    Line answer;
    const ::grpc::Status status = stubs[number % 2]->Say(
        &context, weft::grpc::line_of("", static_cast<int>(number)), &answer);
    EXPECT_TRUE(status.ok()) << status.error_message();
    EXPECT_EQ(answer.text(), correlation_for(number));
    ++answered;
  };
  run_and_expect_no_bleeding(hops, number_of("WEFT_KIT_REQUESTS", is_sanitized ? 2'000 : 20'000),
                             seed);
  EXPECT_EQ(answered, hops.report().hops.at("gRPC"));
  EXPECT_GT(answered, 0U);
}

}  // namespace
}  // namespace weft::kit
