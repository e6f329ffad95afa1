// SPDX-License-Identifier: Apache-2.0
// Preconditions in their order, tags and dates. More of them are in tests/http.
#include "http/conditional.h"

#include <gtest/gtest.h>

#include <string>

#include "http/accept_encoding.h"
#include "http/date.h"
#include "http/entity_tag.h"
#include "http/request_parser.h"

namespace weft::http {
namespace {

constexpr std::int64_t now = 1'700'000'000;
constexpr std::int64_t modified = 784111777;

// A head with these fields, and the text that it lies in.
struct Request {
  std::string text;
  RequestHead head;

  explicit Request(const std::string& fields, const std::string& method = "GET")
      : text(method + " / HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n") {
    Refusal refusal;
    EXPECT_EQ(parse_request(text, {}, head, refusal), Progress::complete) << refusal.reason;
  }
};

Verdict verdict(const std::string& fields, const Validators& validators,
                const std::string& method = "GET") {
  const Request request(fields, method);
  return evaluate_preconditions(request.head, validators, now);
}

TEST(ConditionalTest, AMethodThatChangesSomethingFails) {
  const Validators validators{true, "\"a\"", modified};
  EXPECT_EQ(verdict("If-None-Match: \"a\"\r\n", validators, "PUT"), Verdict::precondition_failed);
  EXPECT_EQ(verdict("If-None-Match: *\r\n", validators, "PUT"), Verdict::precondition_failed);
  EXPECT_EQ(verdict("If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT\r\n", validators, "PUT"),
            Verdict::proceed);
}

TEST(ConditionalTest, WhatDoesNotExistMatchesNothing) {
  const Validators nothing{false, {}, std::nullopt};
  EXPECT_EQ(verdict("If-None-Match: *\r\n", nothing, "PUT"), Verdict::proceed);
  EXPECT_EQ(verdict("If-Match: *\r\n", nothing, "PUT"), Verdict::precondition_failed);
  EXPECT_EQ(verdict("If-Unmodified-Since: Sun, 06 Nov 1994 08:49:37 GMT\r\n", nothing),
            Verdict::proceed);
}

TEST(ConditionalTest, AWeakTagOfOursIsEnoughForACacheAndNotForAMatch) {
  const Validators weak{true, "W/\"a\"", std::nullopt};
  EXPECT_EQ(verdict("If-None-Match: \"a\"\r\n", weak), Verdict::not_modified);
  EXPECT_EQ(verdict("If-Match: W/\"a\"\r\n", weak), Verdict::precondition_failed);
}

TEST(ConditionalTest, ARangeOfSomethingJustModifiedDoesNotApply) {
  const Request request("If-Range: Sun, 06 Nov 1994 08:49:37 GMT\r\n");
  const Validators validators{true, {}, modified};
  EXPECT_TRUE(range_applies(request.head, validators, modified + 2));
  EXPECT_FALSE(range_applies(request.head, validators, modified + 1));
}

TEST(EntityTagTest, TagsAreRead) {
  EXPECT_EQ(parse_entity_tag("\"a b\""), std::nullopt);
  EXPECT_EQ(parse_entity_tag("\"\"")->opaque, "");
  EXPECT_EQ(parse_entity_tag("W/\"a\"")->is_weak, true);
  for (const char* text : {"", "a", "\"", "w/\"a\"", "\"a\"b", "\"a", "W/a", "\"a\"\""}) {
    EXPECT_FALSE(parse_entity_tag(text).has_value()) << text;
  }
}

TEST(EntityTagTest, AListEndsWhereItIsWrong) {
  std::string_view list = " \"a\" ,, W/\"b,c\" , d";
  EXPECT_EQ(take_entity_tag(list)->opaque, "a");
  EXPECT_EQ(take_entity_tag(list)->opaque, "b,c");
  EXPECT_FALSE(take_entity_tag(list).has_value());
}

TEST(DateTest, DatesAreWrittenAndRead) {
  EXPECT_EQ(DateText(modified).text(), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(DateText(0).text(), "Thu, 01 Jan 1970 00:00:00 GMT");
  EXPECT_EQ(DateText(951782399).text(), "Mon, 28 Feb 2000 23:59:59 GMT");
  for (std::int64_t date = 0; date < 4'000'000'000; date += 86'399 * 17 + 11) {
    EXPECT_EQ(parse_date(DateText(date).text(), now), date);
  }
  DateCache cache;
  EXPECT_EQ(cache.text(modified), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(cache.text(modified + 1), "Sun, 06 Nov 1994 08:49:38 GMT");
}

TEST(DateTest, TheOldFormsAreRead) {
  EXPECT_EQ(parse_date("Sunday, 06-Nov-94 08:49:37 GMT", now), modified);
  EXPECT_EQ(parse_date("Sun Nov  6 08:49:37 1994", now), modified);
  EXPECT_EQ(parse_date("Wed Nov 16 08:49:37 1994", now), modified + 10 * 86'400);
  // Fifty years ahead at most: 74 is 1974 in 2023.
  EXPECT_EQ(parse_date("Tuesday, 01-Jan-74 00:00:00 GMT", now), 126230400);
  EXPECT_EQ(parse_date("Monday, 01-Jan-73 00:00:00 GMT", now), 3250454400);
}

TEST(DateTest, ALeapSecondIsTheOneBeforeIt) {
  EXPECT_EQ(parse_date("Sat, 31 Dec 2016 23:59:60 GMT", now), 1483228799);
}

TEST(DateTest, WhatIsNoDateIsNone) {
  for (const char* text :
       {"", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC",
        "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT",
        "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 6 Nov 1994 08:49:37 GMT",
        "Sun, 06 nov 1994 08:49:37 GMT", "Sun, 06 Nov 94 08:49:37 GMT",
        "Sun, 06 Nov 1994 08:49:37 GMT ", "Sun Nov 6 08:49:37 1994", "784111777"}) {
    EXPECT_EQ(parse_date(text, now), std::nullopt) << text;
  }
}

Encoding choose(const std::string& fields) {
  EncodingSet available;
  available.add(Encoding::gzip);
  available.add(Encoding::br);
  return choose_encoding(Request(fields).head, available);
}

TEST(AcceptEncodingTest, TheBestOfWhatIsThereIsChosen) {
  EXPECT_EQ(choose(""), Encoding::identity);
  EXPECT_EQ(choose("Accept-Encoding:\r\n"), Encoding::identity);
  EXPECT_EQ(choose("Accept-Encoding: gzip\r\n"), Encoding::gzip);
  EXPECT_EQ(choose("Accept-Encoding: x-GZIP\r\n"), Encoding::gzip);
  EXPECT_EQ(choose("Accept-Encoding: gzip, deflate, br, zstd\r\n"), Encoding::br);
  EXPECT_EQ(choose("Accept-Encoding: zstd\r\n"), Encoding::identity);
  EXPECT_EQ(choose("Accept-Encoding: gzip\r\nAccept-Encoding: br\r\n"), Encoding::br);
  EXPECT_EQ(choose("Accept-Encoding: *\r\n"), Encoding::br);
}

TEST(AcceptEncodingTest, QualitiesDecide) {
  EXPECT_EQ(choose("Accept-Encoding: br;q=0.8, gzip;q=0.9\r\n"), Encoding::gzip);
  EXPECT_EQ(choose("Accept-Encoding: br;q=0, gzip;q=0.001\r\n"), Encoding::gzip);
  EXPECT_EQ(choose("Accept-Encoding: br;q=0, *\r\n"), Encoding::gzip);
  EXPECT_EQ(choose("Accept-Encoding: gzip;q=0.5, identity\r\n"), Encoding::identity);
  EXPECT_EQ(choose("Accept-Encoding: *;q=0\r\n"), Encoding::identity);
  EXPECT_EQ(choose("Accept-Encoding: gzip ; Q=1.000\r\n"), Encoding::gzip);
}

TEST(AcceptEncodingTest, NonsenseIsNotThere) {
  for (const char* value : {"gzip;q=2", "gzip;q=1.001", "gzip;q=.5", "gzip;q=0.1234", "gzip;q",
                            "gzip;level=5", "gzip;q=-1", "g zip"}) {
    EXPECT_EQ(choose("Accept-Encoding: " + std::string(value) + "\r\n"), Encoding::identity)
        << value;
  }
}

TEST(AcceptEncodingTest, CodingsHaveNames) {
  EXPECT_EQ(encoding_name(Encoding::zstd), "zstd");
  EXPECT_EQ(encoding_name(Encoding::identity), "");
}

}  // namespace
}  // namespace weft::http
