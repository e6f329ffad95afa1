// SPDX-License-Identifier: Apache-2.0
// A session step by step: its events, its deadlines, and how it frames responses.
#include "http/session.h"

#include <gtest/gtest.h>

#include <string>

namespace weft::http {
namespace {

using namespace std::chrono_literals;
using Kind = Event::Kind;
using Body = ResponseFraming::Body;

constexpr TimePoint zero{};
const std::string get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
const std::string post = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n";

struct SessionTest : testing::Test {
  SessionLimits limits;
  Session session{limits, zero};
  RequestHead head;

  Event next(std::string_view input, TimePoint now = zero) {
    return session.next(input, head, now);
  }
  // Takes a request without a body up to where it can be answered.
  void take(std::string_view request) {
    ASSERT_EQ(next(request).kind, Kind::head);
    ASSERT_EQ(next({}).kind, Kind::complete);
  }
};

TEST_F(SessionTest, ARequestGoesByStepByStep) {
  const std::string input = post + "hello" + get;
  const Event first = next(input);
  EXPECT_EQ(first.kind, Kind::head);
  EXPECT_EQ(first.consumed, post.size());
  EXPECT_EQ(head.content_length(), 5U);
  const Event second = next(std::string_view(input).substr(post.size()));
  EXPECT_EQ(second.kind, Kind::body);
  EXPECT_EQ(second.body, "hello");
  EXPECT_EQ(second.consumed, 5U);
  EXPECT_EQ(next(get).kind, Kind::complete);
  EXPECT_EQ(next(get).kind, Kind::response_pending);
  EXPECT_EQ(next(get).consumed, 0U);
  EXPECT_FALSE(session.begin_response(200, 0).says_close);
  EXPECT_TRUE(session.end_response(zero));
  EXPECT_TRUE(session.is_idle());
  EXPECT_EQ(next(get).kind, Kind::head);
}

TEST_F(SessionTest, NoInputIsNoEvent) {
  EXPECT_EQ(next({}).kind, Kind::need_input);
  EXPECT_TRUE(session.is_idle());
  EXPECT_EQ(next("GET").kind, Kind::need_input);
  EXPECT_FALSE(session.is_idle());
}

TEST_F(SessionTest, ARefusalIsGivenOnce) {
  const Event event = next("GET / HTTP/1.1\r\n\r\n");
  EXPECT_EQ(event.kind, Kind::refuse);
  EXPECT_EQ(event.refusal.status, 400);
  EXPECT_TRUE(session.is_closing());
  EXPECT_FALSE(session.can_respond());
  EXPECT_EQ(next(get).kind, Kind::close);
}

TEST_F(SessionTest, ABodyThatGoesWrongBehindAResponseEndsTheConnectionQuietly) {
  next("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
  session.begin_response(200, 0);
  EXPECT_EQ(next("x").kind, Kind::close);
  EXPECT_FALSE(session.end_response(zero));
}

TEST_F(SessionTest, FramingIsWhatVersionAndMethodAllow) {
  take(get);
  EXPECT_EQ(session.begin_response(200, 7).content_length, 7U);
  session.end_response(zero);
  take(get);
  EXPECT_EQ(session.begin_response(200, std::nullopt).body, Body::chunked);
  session.end_response(zero);
  take("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n");
  const ResponseFraming of_head = session.begin_response(200, 7);
  EXPECT_EQ(of_head.body, Body::none);
  EXPECT_EQ(of_head.content_length, 7U);
  session.end_response(zero);
  take(get);
  const ResponseFraming not_modified = session.begin_response(304, 7);
  EXPECT_EQ(not_modified.body, Body::none);
  EXPECT_EQ(not_modified.content_length, 7U);
  session.end_response(zero);
  take(get);
  const ResponseFraming no_content = session.begin_response(204, 0);
  EXPECT_EQ(no_content.body, Body::none);
  EXPECT_EQ(no_content.content_length, std::nullopt);
  session.end_response(zero);
  take("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_TRUE(session.begin_response(200, 7).says_keep_alive);
  EXPECT_TRUE(session.end_response(zero));
  take("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  const ResponseFraming unknown = session.begin_response(200, std::nullopt);
  EXPECT_EQ(unknown.body, Body::until_close);
  EXPECT_TRUE(unknown.says_close);
  EXPECT_FALSE(session.end_response(zero));
}

TEST_F(SessionTest, AServerThatStopsTellsItsClients) {
  take(get);
  session.close_after_response();
  EXPECT_TRUE(session.begin_response(200, 0).says_close);
  EXPECT_FALSE(session.end_response(zero));
}

TEST_F(SessionTest, AClientThatWaitsForLeaveMayBeAnsweredWithout) {
  const std::string waiting =
      "PUT / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n";
  next(waiting);
  EXPECT_TRUE(session.wants_continue());
  EXPECT_TRUE(session.begin_response(401, 0).says_close);
}

TEST_F(SessionTest, LeaveIsGivenOnceAndNotBehindTheBody) {
  next("PUT / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n");
  EXPECT_TRUE(session.wants_continue());
  next("h");
  EXPECT_FALSE(session.wants_continue());
}

TEST_F(SessionTest, WhatNobodyWantsIsDrainedAndTheNextRequestRead) {
  const std::string input = "hello" + get;
  next(post);
  EXPECT_FALSE(session.begin_response(200, 0).says_close);
  EXPECT_TRUE(session.end_response(zero));
  EXPECT_FALSE(session.is_idle());
  std::string_view rest = input;
  while (!session.is_idle()) {
    const Event event = next(rest);
    ASSERT_EQ(event.kind, Kind::skipped);
    rest.remove_prefix(event.consumed);
  }
  EXPECT_EQ(rest, get);
}

TEST_F(SessionTest, AServerThatStopsWaitsForNoMoreThanWhatIsDrained) {
  next(post);
  session.begin_response(200, 0);
  ASSERT_TRUE(session.end_response(zero));
  session.close_after_response();
  EXPECT_EQ(next("hello").kind, Kind::skipped);
  EXPECT_EQ(next({}).kind, Kind::close);
}

TEST_F(SessionTest, TooMuchIsNotDrained) {
  limits.drain_bytes = 10;
  next("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
  session.begin_response(200, 0);
  EXPECT_TRUE(session.end_response(zero));
  EXPECT_EQ(next("20\r\n").kind, Kind::skipped);
  EXPECT_EQ(next("0123456789").kind, Kind::close);
}

TEST_F(SessionTest, WhatIsDrainedIsCountedForEachRequest) {
  limits.drain_bytes = 20;
  for (int i = 0; i < 5; ++i) {
    next("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
    session.begin_response(200, 0);
    ASSERT_TRUE(session.end_response(zero));
    ASSERT_EQ(next("5\r\nhello").kind, Kind::skipped);
    ASSERT_EQ(next("\r\n0\r\n\r\n").kind, Kind::skipped);
    ASSERT_TRUE(session.is_idle()) << i;
  }
}

TEST_F(SessionTest, ABodyThatIsStreamedMayBeLonger) {
  limits.body_bytes = 4;
  limits.streamed_body_bytes = 10;
  EXPECT_EQ(next(post).kind, Kind::head);
  EXPECT_TRUE(session.has_body_ahead());
  session.stream_body();
  EXPECT_EQ(next("hello").kind, Kind::body);
  EXPECT_FALSE(session.has_body_ahead());
  EXPECT_EQ(next({}).kind, Kind::complete);
  session.begin_response(200, 0);
  session.end_response(zero);
  next("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
  session.stream_body();
  EXPECT_EQ(next("a\r\n").kind, Kind::skipped);
  EXPECT_EQ(next("0123456789").kind, Kind::body);
  EXPECT_EQ(next("\r\n").kind, Kind::skipped);
  EXPECT_EQ(next("1\r\n").refusal.status, 413);
}

TEST_F(SessionTest, ABodyThatIsTooLongIsGivenNoLeave) {
  limits.body_bytes = 4;
  next("PUT / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n");
  EXPECT_FALSE(session.wants_continue());
  EXPECT_EQ(next({}).refusal.status, 413);
  Session other(limits, zero);
  limits.streamed_body_bytes = 4;
  EXPECT_EQ(other.next(post, head, zero).refusal.status, 413);
}

TEST_F(SessionTest, TheHeadHasAnAbsoluteDeadline) {
  EXPECT_EQ(session.deadline(), zero + limits.head_deadline);
  next("G", zero + 1s);
  EXPECT_EQ(session.deadline(), zero + limits.head_deadline);
  next("GE", zero + 9s);
  EXPECT_EQ(session.deadline(), zero + limits.head_deadline);
  EXPECT_EQ(session.expire(session.deadline() - 1ns).kind, Kind::need_input);
  const Event event = session.expire(session.deadline());
  EXPECT_EQ(event.kind, Kind::refuse);
  EXPECT_EQ(event.refusal.status, 408);
}

TEST_F(SessionTest, AnIdleConnectionEndsQuietly) {
  take(get);
  EXPECT_EQ(session.deadline(), TimePoint::max());
  session.begin_response(200, 0);
  session.end_response(zero + 3s);
  EXPECT_EQ(session.deadline(), zero + 3s + limits.idle_deadline);
  next("G", zero + 20s);
  EXPECT_EQ(session.deadline(), zero + 20s + limits.head_deadline);
  Session other(limits, zero);
  EXPECT_EQ(other.expire(zero + limits.head_deadline).kind, Kind::close);
}

TEST_F(SessionTest, ABodyMustKeepItsPace) {
  limits.body_pace = {2s, 10, 100s};
  limits.body_bytes = 10'000;
  next("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n", zero + 5s);
  EXPECT_EQ(session.deadline(), zero + 7s);
  next(std::string(15, 'a'), zero + 6s);
  EXPECT_EQ(session.deadline(), zero + 8500ms);
  session.excuse(1s);
  EXPECT_EQ(session.deadline(), zero + 9500ms);
  EXPECT_EQ(session.expire(zero + 10s).refusal.status, 408);
}

TEST_F(SessionTest, AFastBodyMayNotPauseForLong) {
  limits.body_pace = {2s, 10, 3s};
  next("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n", zero + 5s);
  next(std::string(500, 'a'), zero + 6s);
  EXPECT_EQ(session.deadline(), zero + 9s);
}

TEST(PaceTest, NoPauseIsLongerThanTheLongest) {
  const Pace pace{2s, 10, 30s};
  EXPECT_EQ(pace_deadline(pace, zero, zero, 0), zero + 2s);
  EXPECT_EQ(pace_deadline(pace, zero, zero + 1s, 1'000'000), zero + 31s);
  EXPECT_EQ(pace_deadline(pace, zero, zero + 1s, UINT64_MAX), zero + 31s);
}

TEST_F(SessionTest, TheEndOfTheInputEndsWhatIsNotWhole) {
  next("GET / HT");
  EXPECT_EQ(session.end_of_input().kind, Kind::close);
  Session half_closed(limits, zero);
  half_closed.next(get, head, zero);
  EXPECT_EQ(half_closed.end_of_input().kind, Kind::response_pending);
  EXPECT_TRUE(half_closed.begin_response(200, 0).says_close);
  EXPECT_FALSE(half_closed.end_response(zero));
}

}  // namespace
}  // namespace weft::http
