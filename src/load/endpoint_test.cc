// SPDX-License-Identifier: Apache-2.0
// URLs, the bytes of a request, and the lot of a mix.
#include "load/endpoint.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "load/plot.h"

namespace weft::load {
namespace {

using namespace std::chrono_literals;

TEST(Url, IsTakenApart) {
  const auto url = parse_url("https://example.com/a/b?c=d#e");
  ASSERT_TRUE(url.ok());
  EXPECT_TRUE(url->is_secure);
  EXPECT_EQ(url->host, "example.com");
  EXPECT_EQ(url->port, "443");
  EXPECT_EQ(url->path, "/a/b?c=d");
  EXPECT_EQ(parse_url("http://h")->path, "/");
  EXPECT_EQ(parse_url("http://h?x")->path, "/?x");
  EXPECT_EQ(parse_url("http://[::1]:8080/")->host, "::1");
  EXPECT_EQ(parse_url("http://[::1]:8080/")->port, "8080");
}

TEST(Url, WhatIsNoneIsRefused) {
  for (const char* text : {"", "example.com", "ftp://h/", "http://", "http://:80/", "http://h:0/",
                           "http://h:x/", "http://h:99999/", "http://h/a b", "http://u@h/",
                           "http://[::1/", "http://h:/", "http://h/\r\nX: y"}) {
    EXPECT_FALSE(parse_url(text).ok()) << text;
  }
}

TEST(Prepare, WritesTheRequestOnce) {
  Request request{"http://127.0.0.1:81/x", 1, "POST", {"X-Own: 1"}, "abc"};
  const auto targets = prepare({request}, true);
  ASSERT_TRUE(targets.ok()) << targets.error().message;
  EXPECT_EQ(targets->requests[0].bytes,
            "POST /x HTTP/1.1\r\nHost: 127.0.0.1:81\r\nUser-Agent: weft-load\r\n"
            "Content-Length: 3\r\nConnection: close\r\nX-Own: 1\r\n\r\nabc");
}

TEST(Prepare, WhatIsGivenIsNotWrittenTwice) {
  const auto targets = prepare({{"http://127.0.0.1/", 1, "GET", {"host: other"}}}, false);
  ASSERT_TRUE(targets.ok());
  EXPECT_EQ(targets->requests[0].bytes,
            "GET / HTTP/1.1\r\nUser-Agent: weft-load\r\nhost: other\r\n\r\n");
}

TEST(Prepare, OneEndpointForOneServer) {
  const auto targets = prepare({{"http://127.0.0.1/a"},
                                {"http://127.0.0.1:80/b"},
                                {"http://127.0.0.1:81/c"},
                                {"https://127.0.0.1:80/d"}},
                               false);
  ASSERT_TRUE(targets.ok());
  EXPECT_EQ(targets->endpoints.size(), 3U);
  EXPECT_EQ(targets->requests[1].endpoint, 0U);
  EXPECT_EQ(targets->requests[3].endpoint, 2U);
}

TEST(Prepare, WhatCannotBeSentIsRefused) {
  EXPECT_FALSE(prepare({}, false).ok());
  EXPECT_FALSE(prepare({{"http://127.0.0.1/", 0}}, false).ok());
  EXPECT_FALSE(prepare({{"http://127.0.0.1/", 1, "G ET"}}, false).ok());
  EXPECT_FALSE(prepare({{"http://127.0.0.1/", 1, "GET", {"no colon"}}}, false).ok());
  EXPECT_FALSE(prepare({{"http://127.0.0.1/", 1, "GET", {"X: a\r\nY: b"}}}, false).ok());
}

TEST(Mix, FollowsTheWeightsAndTheSeed) {
  const std::vector<Request> mix = {{"a", 95}, {"b", 5}};
  const auto chosen = choose_requests(mix, 100'000, 1);
  EXPECT_NEAR(static_cast<double>(std::count(chosen.begin(), chosen.end(), 1)), 5'000, 300);
  EXPECT_EQ(chosen, choose_requests(mix, 100'000, 1));
  EXPECT_NE(chosen, choose_requests(mix, 100'000, 2));
}

Report small_report() {
  Report report;
  report.length = 2s;
  report.phases = {{"quiet", PhaseKind::quiet, 0s, 1s}, {"<burst>", PhaseKind::burst, 1s, 2s}};
  for (int i = 0; i < 200; ++i) {
    Sample sample;
    sample.intended = i * 10ms;
    sample.end = sample.intended + 1ms + i * 10us;
    sample.outcome = i == 50 ? Outcome::timeout : Outcome::good;
    sample.phase = i < 100 ? 0 : 1;
    report.samples.push_back(sample);
  }
  return report;
}

TEST(Plot, IsOneFileWithNothingFromOutside) {
  const std::string svg = to_svg(small_report(), 3s, {{"workers & more", {{0, 2}, {1, 8}}}});
  EXPECT_TRUE(svg.starts_with("<svg xmlns="));
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
  EXPECT_EQ(svg.find("href"), std::string::npos);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
  for (const char* text :
       {"P99.99", "workers &amp; more", "&lt;burst&gt;", "prefers-color-scheme: dark"}) {
    EXPECT_NE(svg.find(text), std::string::npos) << text;
  }
}

TEST(Plot, StandsAnEmptyReport) {
  Report report;
  report.length = 1s;
  report.phases = {{"quiet", PhaseKind::quiet, 0s, 1s}};
  const std::string svg = to_svg(report, 3s, {});
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
  EXPECT_EQ(svg.find("nan"), std::string::npos);
}

}  // namespace
}  // namespace weft::load
