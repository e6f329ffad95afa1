// SPDX-License-Identifier: Apache-2.0
// Statuses, reasons, deadlines and names, of given values.
#include "grpc/decisions.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "grpc/fresh_names.h"

namespace weft::grpc {
namespace {

using namespace std::chrono_literals;

constexpr Instant begun{100s};

TEST(Decisions, ACallThatEndsNearItsDeadlineHasMissedIt) {
  const Instant deadline = begun + 10s;
  EXPECT_EQ(reason_of_end(begun, deadline, deadline + 1ms, false), CancelReason::deadline);
  EXPECT_EQ(reason_of_end(begun, deadline, deadline - 1s, false), CancelReason::deadline);
  EXPECT_EQ(reason_of_end(begun, deadline, deadline - 1001ms, false), CancelReason::client);
  EXPECT_EQ(reason_of_end(begun, begun + 300ms, begun + 200ms, false), CancelReason::deadline);
  EXPECT_EQ(reason_of_end(begun, begun + 300ms, begun + 199ms, false), CancelReason::client);
}

// The client's time may be up before the call was read.
TEST(Decisions, ACallWithAShortDeadlineHasMissedIt) {
  EXPECT_EQ(reason_of_end(begun, begun + 100ms, begun, false), CancelReason::deadline);
  EXPECT_EQ(reason_of_end(begun, begun + 20ms, begun + 1ms, false), CancelReason::deadline);
  EXPECT_EQ(reason_of_end(begun, begun + 101ms, begun, false), CancelReason::client);
}

TEST(Decisions, ACallWithoutADeadlineIsEndedByItsClient) {
  EXPECT_EQ(reason_of_end(begun, Instant::max(), begun + 1h, false), CancelReason::client);
}

TEST(Decisions, AServerThatEndsEndsItsCalls) {
  EXPECT_EQ(reason_of_end(begun, begun + 1s, begun + 2s, true), CancelReason::shutdown);
}

TEST(Decisions, DeadlinesAreTheSameOnBothClocks) {
  const std::chrono::system_clock::time_point now(1'000'000s);
  EXPECT_EQ(steady_deadline(now + 3s, now, begun), begun + 3s);
  EXPECT_EQ(steady_deadline(now - 3s, now, begun), begun - 3s);
  EXPECT_EQ(steady_deadline(std::chrono::system_clock::time_point::max(), now, begun),
            Instant::max());
}

TEST(Decisions, NothingOfAnExceptionIsToldToTheClient) {
  const Outcome outcome = outcome_of(std::make_exception_ptr(std::runtime_error("password=1234")));
  EXPECT_TRUE(outcome.is_unexpected);
  EXPECT_EQ(outcome.status.error_code(), ::grpc::StatusCode::INTERNAL);
  EXPECT_EQ(outcome.status.error_message().find("1234"), std::string::npos);
}

TEST(Decisions, EachReasonHasItsCode) {
  const auto code_of = [](CancelReason reason) {
    const Outcome outcome = outcome_of(std::make_exception_ptr(Cancelled(reason)));
    EXPECT_FALSE(outcome.is_unexpected);
    return outcome.status.error_code();
  };
  EXPECT_EQ(code_of(CancelReason::deadline), ::grpc::StatusCode::DEADLINE_EXCEEDED);
  EXPECT_EQ(code_of(CancelReason::client), ::grpc::StatusCode::CANCELLED);
  EXPECT_EQ(code_of(CancelReason::shutdown), ::grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(code_of(CancelReason::overload), ::grpc::StatusCode::RESOURCE_EXHAUSTED);
}

TEST(Decisions, MethodsAreNamedByTheirClass) {
  EXPECT_EQ(method_name("a::b::Echo::WithAsyncMethod_Say<a::b::Echo::WithAsyncMethod_X<Y> >"),
            "/a.b.Echo/Say");
  EXPECT_EQ(method_name("Echo::WithAsyncMethod_Say_It<Z>"), "/Echo/Say_It");
  EXPECT_THROW(method_name("a::b::Echo::Service"), std::invalid_argument);
}

TEST(FreshNames, ContinueWhatIsValidAndBeginWhatIsNot) {
  FreshNames names;
  const std::string parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  const Trace going_on = names.continue_trace(parent, "a=1");
  const auto received = parse_traceparent(parent);
  EXPECT_EQ(going_on.parent.trace, received->trace);
  EXPECT_NE(going_on.parent.span, received->span);
  EXPECT_EQ(going_on.state, "a=1");
  Trace last = names.continue_trace("nonsense", "a=1");
  EXPECT_EQ(last.state, "");
  for (int i = 0; i < 1000; ++i) {
    const Trace next = names.continue_trace({}, {});
    ASSERT_NE(next.parent.trace, last.parent.trace);
    ASSERT_TRUE(parse_traceparent(to_text(next.parent)));
    last = next;
  }
}

}  // namespace
}  // namespace weft::grpc
