// SPDX-License-Identifier: Apache-2.0
// Which request it is, by its fields.
#include "serve/request_scope.h"

#include <gtest/gtest.h>

#include <string>

#include "http/request_parser.h"
#include "serve/web_site.h"

namespace weft::serve {
namespace {

const char* const traceparent =
    "traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\r\n";

// A head with these fields, and the bytes that it stands in.
struct Head {
  explicit Head(std::string_view fields) : text("GET /who HTTP/1.1\r\nHost: test\r\n") {
    text.append(fields).append("\r\n");
    http::Refusal refusal;
    EXPECT_EQ(http::parse_request(text, {}, head, refusal), http::Progress::complete);
  }
  Request request() const { return {head, "", "127.0.0.1"}; }
  std::string text;
  http::RequestHead head;
};

TEST(RequestScope, GoesOnWithTheClientsTrace) {
  const Head head(std::string(traceparent).append("tracestate: a=1\r\nTraceState: b=2\r\n"));
  const RequestScope scope(head.request());
  ASSERT_NE(current_trace.get(), nullptr);
  EXPECT_EQ(to_text(current_trace.get()->parent).substr(0, 36),
            "00-4bf92f3577b34da6a3ce929d0e0e4736-");
  EXPECT_EQ(current_trace.get()->state, "a=1,b=2");
  EXPECT_EQ(correlation(), "4bf92f3577b34da6a3ce929d0e0e4736");
}

TEST(RequestScope, IsCalledWhatTheClientCallsIt) {
  const Head head("X-Request-ID: order-17\r\n");
  const RequestScope scope(head.request());
  EXPECT_EQ(correlation(), "order-17");
}

TEST(RequestScope, TakesNothingThatIsMalformed) {
  for (const std::string& fields : {std::string("X-Request-Id: a b\r\n"),
                                    std::string("X-Request-Id: <b>\r\n").append(traceparent),
                                    std::string("X-Request-Id: a\r\nX-Request-Id: b\r\n"),
                                    std::string(traceparent).append(traceparent)}) {
    const Head head(fields);
    const RequestScope scope(head.request());
    EXPECT_TRUE(is_correlation_id(correlation())) << fields;
    EXPECT_EQ(correlation().size(), 32U) << fields;
  }
}

TEST(RequestScope, IsAroundTheHandlersOfASiteThatAsksForIt) {
  WebSite site;
  site.identify_requests();
  std::string seen;
  ASSERT_TRUE(site.add(
      http::Method::get, "/who",
      [&](const Call&, Response& response) {
        seen = correlation();
        response.set_constant_body("it is");
      },
      Runs::at_once));
  const Head head("X-Request-Id: order-17\r\n");
  Response response;
  ASSERT_TRUE(site.answer_at_once(head.request(), response));
  EXPECT_EQ(seen, "order-17");
  std::string said;
  response.for_each_field([&](std::string_view name, std::string_view value) {
    if (name == "X-Request-Id") said = value;
  });
  EXPECT_EQ(said, "order-17");
  EXPECT_EQ(correlation(), "") << "it stayed behind";
}

}  // namespace
}  // namespace weft::serve
