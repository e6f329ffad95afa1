// SPDX-License-Identifier: Apache-2.0
// Heads are written as they must be, or not at all.
#include "http/response_head.h"

#include <gtest/gtest.h>

#include <array>

#include "http/mime.h"
#include "http/status.h"

namespace weft::http {
namespace {

TEST(ResponseHeadTest, AHeadIsWritten) {
  std::array<char, 200> memory;
  ResponseHead head(memory);
  head.status(206);
  head.field("ETag", "\"a\"");
  ResponseFraming framing;
  framing.content_length = 18446744073709551615U;
  framing.says_keep_alive = true;
  head.framing(framing);
  ASSERT_TRUE(head.finish());
  EXPECT_EQ(head.text(),
            "HTTP/1.1 206 Partial Content\r\nETag: \"a\"\r\n"
            "Content-Length: 18446744073709551615\r\nConnection: keep-alive\r\n\r\n");
}

TEST(ResponseHeadTest, ChunkedAndCloseAreSaid) {
  std::array<char, 200> memory;
  ResponseHead head(memory);
  head.status(200);
  ResponseFraming framing;
  framing.body = ResponseFraming::Body::chunked;
  framing.says_close = true;
  head.framing(framing);
  ASSERT_TRUE(head.finish());
  EXPECT_EQ(head.text(),
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n");
}

TEST(ResponseHeadTest, NothingBreaksOutOfItsLine) {
  for (const std::string_view value :
       {std::string_view("a\r\nSet-Cookie: b"), std::string_view("a\nb"), std::string_view("a\rb"),
        std::string_view("a\0b", 3), std::string_view("a\x7f")}) {
    std::array<char, 200> memory;
    ResponseHead head(memory);
    head.status(200);
    head.field("Location", value);
    EXPECT_FALSE(head.finish()) << value;
  }
  for (const std::string_view name : {"", "a b", "a:", "a\r\nb", "\xe4"}) {
    std::array<char, 200> memory;
    ResponseHead head(memory);
    head.field(name, "b");
    EXPECT_FALSE(head.finish()) << name;
  }
}

TEST(ResponseHeadTest, WhatDoesNotFitFails) {
  const std::string_view expected = "HTTP/1.1 200 OK\r\nA: b\r\n\r\n";
  std::array<char, 100> memory{};
  for (std::size_t size = 0; size <= expected.size(); ++size) {
    ResponseHead head({memory.data(), size});
    head.status(200);
    head.field("A", "b");
    EXPECT_EQ(head.finish(), size == expected.size());
    EXPECT_LE(head.text().size(), size);
  }
}

TEST(ResponseHeadTest, ARefusalIsAWholeResponse) {
  const std::string text = refusal_response({431, "too many fields"}, "today");
  EXPECT_TRUE(text.starts_with("HTTP/1.1 431 Request Header Fields Too Large\r\nDate: today\r\n"));
  EXPECT_NE(text.find("Connection: close\r\n"), std::string::npos);
  const auto body = text.find("\r\n\r\n") + 4;
  EXPECT_NE(text.find("Content-Length: " + std::to_string(text.size() - body) + "\r\n"),
            std::string::npos);
  EXPECT_NE(text.find("<p>too many fields.</p>", body), std::string::npos);
}

TEST(ResponseHeadTest, TextIsMadeFitForHtml) {
  EXPECT_EQ(escape_html("<a href=\"b\">'&'"), "&lt;a href=&quot;b&quot;&gt;&#39;&amp;&#39;");
}

TEST(StatusTest, StatusesHaveNames) {
  EXPECT_EQ(status_text(200), "OK");
  EXPECT_EQ(status_text(505), "HTTP Version Not Supported");
  EXPECT_EQ(status_text(299), "Unknown");
}

TEST(MimeTest, TheEndOfANameTells) {
  EXPECT_EQ(media_type("a/index.html"), "text/html; charset=utf-8");
  EXPECT_EQ(media_type("A.PNG"), "image/png");
  EXPECT_EQ(media_type("a.tar.gz"), "application/gzip");
  EXPECT_EQ(media_type("app.webmanifest"), "application/manifest+json");
  for (const char* path : {"", "a", "a.", "html", "a.b/html", "a.unknown", "a.htmlhtmlhtml"}) {
    EXPECT_EQ(media_type(path), "application/octet-stream") << path;
  }
}

}  // namespace
}  // namespace weft::http
