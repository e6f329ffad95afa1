// SPDX-License-Identifier: Apache-2.0
// What a head says, where it lies, and how it is read in pieces. What is refused is in tests/http.
#include "http/request_parser.h"

#include <gtest/gtest.h>

#include <string>

#include "http/body_framing.h"
#include "http/characters.h"

namespace weft::http {
namespace {

struct Parsed {
  RequestHead head;
  Refusal refusal;
  Progress progress;
};

// Precondition: the text outlives the answer.
Parsed parse(std::string_view text, const RequestLimits& limits = {}) {
  Parsed parsed;
  parsed.progress = parse_request(text, limits, parsed.head, parsed.refusal);
  return parsed;
}

TEST(RequestParserTest, AHeadSaysWhatWasSent) {
  const std::string text =
      "GET /a%20b?c=d HTTP/1.1\r\nHost: example.org:80\r\nX-Other:  e \r\nRange: "
      "bytes=0-1\r\n\r\nbody";
  const Parsed parsed = parse(text);
  ASSERT_EQ(parsed.progress, Progress::complete);
  const RequestHead& head = parsed.head;
  EXPECT_EQ(head.method(), Method::get);
  EXPECT_EQ(head.method_text(), "GET");
  EXPECT_EQ(head.target(), "/a%20b?c=d");
  EXPECT_EQ(head.form(), TargetForm::origin);
  EXPECT_EQ(head.version(), Version::http_1_1);
  EXPECT_EQ(head.path_and_query(), "/a%20b?c=d");
  EXPECT_EQ(head.authority(), "example.org:80");
  EXPECT_EQ(head.size(), text.size() - 4);
  ASSERT_EQ(head.field_count(), 3U);
  EXPECT_EQ(head.name(1), "X-Other");
  EXPECT_EQ(head.value(1), "e");
  EXPECT_EQ(head.find(KnownField::range), "bytes=0-1");
  EXPECT_EQ(head.find("x-oTHER"), "e");
  EXPECT_EQ(head.find("y"), std::nullopt);
  EXPECT_EQ(head.find(KnownField::cookie), std::nullopt);
  EXPECT_TRUE(head.keep_alive());
  EXPECT_FALSE(head.expects_continue());
  EXPECT_EQ(body_framing(head, 0).kind, BodyFraming::Kind::none);
}

TEST(RequestParserTest, ManyFieldsOfOneNameAreAllThere) {
  const std::string text =
      "GET / HTTP/1.1\r\nAccept-Encoding: a\r\nHost: h\r\naccept-encoding: b\r\n\r\n";
  const Parsed parsed = parse(text);
  ASSERT_EQ(parsed.progress, Progress::complete);
  std::string all;
  parsed.head.for_each(KnownField::accept_encoding, [&](std::string_view value) { all += value; });
  EXPECT_EQ(all, "ab");
  EXPECT_TRUE(parsed.head.has_more_than_one(KnownField::accept_encoding));
  EXPECT_FALSE(parsed.head.has_more_than_one(KnownField::host));
}

TEST(RequestParserTest, AnAbsoluteTargetIsTakenApart) {
  const std::string text = "GET http://a:1/b?c HTTP/1.1\r\nHost: other\r\n\r\n";
  const Parsed parsed = parse(text);
  ASSERT_EQ(parsed.progress, Progress::complete);
  EXPECT_EQ(parsed.head.form(), TargetForm::absolute);
  EXPECT_EQ(parsed.head.authority(), "a:1");
  EXPECT_EQ(parsed.head.path_and_query(), "/b?c");
}

TEST(RequestParserTest, TheOtherFormsAreTold) {
  const std::string connect = "CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n";
  EXPECT_EQ(parse(connect).head.form(), TargetForm::authority);
  EXPECT_FALSE(parse(connect).head.keep_alive());
  const std::string options = "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n";
  EXPECT_EQ(parse(options).head.form(), TargetForm::asterisk);
}

TEST(RequestParserTest, FramingAndPersistenceAreWhatTheFieldsSay) {
  const std::string with_length = "PUT / HTTP/1.0\r\nContent-Length: 7\r\n\r\n";
  const Parsed length = parse(with_length);
  EXPECT_EQ(length.head.content_length(), 7U);
  EXPECT_FALSE(length.head.keep_alive());
  EXPECT_EQ(body_framing(length.head, 7).length, 7U);
  EXPECT_FALSE(body_framing(length.head, 7).is_too_large);
  EXPECT_TRUE(body_framing(length.head, 6).is_too_large);
  const std::string with_chunks =
      "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n";
  const Parsed chunks = parse(with_chunks);
  EXPECT_TRUE(chunks.head.chunked());
  EXPECT_TRUE(chunks.head.expects_continue());
  EXPECT_EQ(body_framing(chunks.head, 0).kind, BodyFraming::Kind::chunked);
}

TEST(RequestParserTest, AHeadIsReadByteByByteAtChangingPlaces) {
  const std::string text =
      "\r\nPOST /a HTTP/1.1\r\nHost: a\r\nCookie: b=c\r\nContent-Length: 3\r\n\r\n";
  RequestHead head;
  Refusal refusal;
  std::string copy;
  for (std::size_t size = 1; size <= text.size(); ++size) {
    std::string moved = text.substr(0, size);
    const Progress progress = parse_request(moved, {}, head, refusal);
    ASSERT_EQ(progress, size < text.size() ? Progress::need_more : Progress::complete) << size;
    copy.swap(moved);
  }
  head.attach(text.data());
  EXPECT_EQ(head.find(KnownField::cookie), "b=c");
  EXPECT_EQ(head.content_length(), 3U);
  EXPECT_EQ(head.size(), text.size());
}

TEST(RequestParserTest, LimitsAreExact) {
  const std::string text = "GET /234567 HTTP/1.1\r\nHost: a\r\n\r\n";
  EXPECT_EQ(parse(text, {20, 11, 1}).progress, Progress::complete);
  EXPECT_EQ(parse(text, {19, 11, 1}).refusal.status, 414);
  EXPECT_EQ(parse(text, {20, 10, 1}).refusal.status, 431);
  EXPECT_EQ(parse(text, {20, 11, 0}).refusal.status, 431);
}

TEST(RequestParserTest, AHeadCanBeUsedAgain) {
  RequestHead head;
  Refusal refusal;
  const std::string first = "PUT / HTTP/1.0\r\nRange: a\r\nRange: b\r\nContent-Length: 7\r\n\r\n";
  const std::string second = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";
  ASSERT_EQ(parse_request(first, {}, head, refusal), Progress::complete);
  head.reset();
  ASSERT_EQ(parse_request(second, {}, head, refusal), Progress::complete);
  EXPECT_FALSE(head.has(KnownField::range));
  EXPECT_FALSE(head.has_more_than_one(KnownField::range));
  EXPECT_EQ(head.content_length(), std::nullopt);
  EXPECT_EQ(head.field_count(), 1U);
}

TEST(KnownFieldTest, NamesAreFoundInAnyCaseAndNoOthers) {
  EXPECT_EQ(known_field("te"), KnownField::te);
  EXPECT_EQ(known_field("HOST"), KnownField::host);
  EXPECT_EQ(known_field("Content-Length"), KnownField::content_length);
  EXPECT_EQ(known_field("CONTENT-LENGTH"), KnownField::content_length);
  EXPECT_EQ(known_field("if-unmodified-SINCE"), KnownField::if_unmodified_since);
  for (const char* other : {"", "t", "hosts", "hos", "content_length", "content-lengtH1", "c0okie",
                            "if-unmodified-sincE2", "transfer-encodinf", "transfer.encoding"}) {
    EXPECT_EQ(known_field(other), KnownField::other) << other;
  }
}

TEST(CharactersTest, ControlCharactersAreFoundWhereverTheyAre) {
  for (std::size_t size = 0; size < 40; ++size) {
    const std::string plain(size, '\xff');
    EXPECT_EQ(find_control(plain.data(), plain.data() + size), plain.data() + size);
    for (std::size_t at = 0; at < size; ++at) {
      for (const int byte : {0x00, 0x0a, 0x0d, 0x1f, 0x7f}) {
        std::string text(size, at % 2 == 0 ? '\t' : '~');
        text[at] = static_cast<char>(byte);
        EXPECT_EQ(find_control(text.data(), text.data() + size), text.data() + at);
      }
    }
  }
}

TEST(CharactersTest, ElementsOfAListAreTrimmed) {
  std::string_view list = " a ,, b\t";
  EXPECT_EQ(take_element(list), "a");
  EXPECT_EQ(take_element(list), "");
  EXPECT_EQ(take_element(list), "b");
  EXPECT_TRUE(list.empty());
}

}  // namespace
}  // namespace weft::http
