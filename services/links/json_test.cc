// SPDX-License-Identifier: Apache-2.0
// What is read of JSON, what is not, and what is written.
#include "json.h"

#include <gtest/gtest.h>

#include <string>

namespace links {
namespace {

Problem problem_with(const std::string& text) {
  try {
    read_new_link(text);
  } catch (const Failure& failure) {
    return failure.problem();
  }
  return Problem::internal;  // none
}

TEST(Json, IsReadAsALink) {
  const NewLink all = read_new_link(R"({"url":"http://a","key":"k","expires_in_s":60})");
  EXPECT_EQ(all.url, "http://a");
  EXPECT_EQ(all.key, "k");
  EXPECT_EQ(all.expires_in_s, 60);
  EXPECT_EQ(all.idempotency_key, std::nullopt);
  const NewLink least = read_new_link(R"( {"url":"http://\u00fc","key":null} )");
  EXPECT_EQ(least.url, "http://\xC3\xBC");
  EXPECT_EQ(least.key, std::nullopt);
  EXPECT_EQ(least.expires_in_s, std::nullopt);
}

TEST(Json, ThatIsNoneIsMalformed) {
  for (const std::string& text :
       {std::string(), std::string("{"), std::string("nonsense"), std::string("[]"),
        std::string("null"), std::string("\"x\""), std::string("17"), std::string(R"({"url":})"),
        std::string(R"({"url":"a"} x)"), std::string(R"({'url':'a'})"),
        std::string("{\"url\":\"\xFF\"}"), std::string("{\"url\":\"a\nb\"}"),
        std::string(R"({"url":"\ud800"})"), std::string(R"({"url":"a","expires_in_s":1e999})"),
        std::string(16000, '['), std::string("{\"url\":\"a\0\"}", 11)}) {
    EXPECT_EQ(problem_with(text), Problem::malformed) << text.substr(0, 40);
  }
}

TEST(Json, WithOtherTypesIsInvalid) {
  for (const char* const text :
       {"{}", R"({"key":"a"})", R"({"url":1})", R"({"url":null})", R"({"url":["http://a"]})",
        R"({"url":"a","key":7})", R"({"url":"a","expires_in_s":"60"})",
        R"({"url":"a","expires_in_s":1.5})", R"({"url":"a","expires_in_s":true})",
        R"({"url":"a","expires_in_s":9223372036854775808})", R"({"url":"a","expire_in_s":1})"}) {
    EXPECT_EQ(problem_with(text), Problem::invalid) << text;
  }
}

TEST(Json, ThatIsTooLargeIsNotEvenRead) {
  EXPECT_EQ(problem_with(std::string(most_body_bytes + 1, '[')), Problem::too_large);
}

TEST(Json, IsWrittenWithAllThatIsKnown) {
  const Link link{"k", "http://a/\"", Instant(std::chrono::milliseconds(1'700'000'000'007)),
                  Instant(std::chrono::milliseconds(1'700'000'060'007)), 3};
  EXPECT_EQ(to_json(link),
            R"({"created":"2023-11-14T22:13:20.007Z","expires":"2023-11-14T22:14:20.007Z",)"
            R"("key":"k","path":"/k","url":"http://a/\"","visits":3})"
            "\n");
  const Link forever{"k", "http://a", Instant(), std::nullopt, 0};
  EXPECT_NE(to_json(forever).find(R"("expires":null)"), std::string::npos);
  EXPECT_NE(to_json(std::span(&link, 1), false).find(R"("next":"k")"), std::string::npos);
  EXPECT_NE(to_json(std::span(&link, 1), true).find(R"("next":null)"), std::string::npos);
  EXPECT_EQ(to_json({}, false), "{\"links\":[],\"next\":null}\n");
  EXPECT_EQ(to_json(Problem::taken, "x\xFF"),
            "{\"error\":{\"code\":\"taken\",\"message\":\"x\xEF\xBF\xBD\"}}\n");
}

}  // namespace
}  // namespace links
