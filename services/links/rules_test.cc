// SPDX-License-Identifier: Apache-2.0
// What is taken, and what is not.
#include "rules.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "failure.h"

namespace links {
namespace {

// What is said of it; empty: nothing is wrong.
std::string complaint(const std::function<void()>& check) {
  try {
    check();
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.problem(), Problem::invalid);
    return failure.what();
  }
  return "";
}

std::string about_url(const std::string& url) {
  return complaint([&] { check_url(url); });
}

TEST(Rules, TakeUrlsOfTheWeb) {
  for (const char* const url :
       {"http://a", "https://example.org/", "HTTPS://Example.ORG:8443/a?b=c&d='--#e",
        "http://127.0.0.1:1/", "http://[::1]:8080/x", "http://[2001:db8::1]", "https://a?b",
        "https://a#b", "https://m\xC3\xBCnchen.example/\xE2\x82\xAC", "http://a/%00%ff",
        "https://a/\xF0\x9F\x98\x80", "https://a/@b:c", "https://a_b.example/'; DROP--"}) {
    const bool has_space = std::string(url).find(' ') != std::string::npos;
    EXPECT_EQ(about_url(url).empty(), !has_space) << url << ": " << about_url(url);
  }
}

TEST(Rules, RefuseWhatIsNoneAndSayWhy) {
  const auto expect = [](const std::string& url, const std::string& why) {
    EXPECT_NE(about_url(url).find(why), std::string::npos) << url << ": " << about_url(url);
  };
  for (const char* const url : {"", "x", "javascript:alert(1)", "ftp://a", "//a", "http:/a", "http",
                                "data:text/html,x", "httpx://a", "file:///etc/passwd"}) {
    expect(url, "does not begin with http");
  }
  for (const char* const url : {"http://", "https:///a", "http://?a", "http://:80/"}) {
    expect(url, "no host");
  }
  for (const char* const url :
       {"http://a:/", "http://a:0", "http://a:65536", "http://a:8o", "http://a:-1",
        "http://[::1]:x", "http://a:1:2", "http://::1/", "http://[::1"}) {
    expect(url, "port");
  }
  for (const char* const url :
       {"http://a%2f", "http://a!b", "http://[g]x", "http://[a-b]", "http://(a)"}) {
    expect(url, "host");
  }
  expect("http://bank.example@evil.example/", "user or password");
  for (const std::string& url :
       {std::string("http://a/\r\nSet-Cookie: x"), std::string("http://a/ b"),
        std::string("http://a/\0b", 11), std::string("http://a/\x7F"), std::string("http://a\\b"),
        std::string("http://a/\"<>"), std::string("http://a/\xC2\x85"),
        std::string("http://a/\xE2\x80\xA8")}) {
    expect(url, "percent-encoded");
  }
  expect("http://a/" + std::string(longest_url - 8, 'x'), "2048");
  EXPECT_EQ(about_url("http://a/" + std::string(longest_url - 9, 'x')), "");
  expect("http://" + std::string(254, 'x'), "253");
}

TEST(Rules, KnowWhatIsNoUtf8) {
  for (const char* const text : {"", "a", "\xC3\xBC", "\xE2\x82\xAC", "\xF0\x9F\x98\x80",
                                 "\xED\x9F\xBF", "\xEE\x80\x80", "\xF4\x8F\xBF\xBF"}) {
    EXPECT_TRUE(is_utf8(text)) << text;
  }
  for (const char* const text : {"\x80", "\xC3", "\xC0\xAF", "\xC1\x81", "\xE0\x80\xAF",
                                 "\xED\xA0\x80", "\xE2\x82", "\xF0\x80\x80\xAF", "\xF4\x90\x80\x80",
                                 "\xF5\x80\x80\x80", "\xFF", "a\xC3(", "\xE2\x28\xA1"}) {
    EXPECT_FALSE(is_utf8(text)) << text;
    EXPECT_NE(about_url("http://a/" + std::string(text)), "");
  }
}

TEST(Rules, KnowKeys) {
  for (const std::string& key : {std::string("a"), std::string("A-Z_09"), std::string(64, 'k')}) {
    EXPECT_TRUE(is_key(key));
    EXPECT_EQ(complaint([&] { check_chosen_key(key); }), "");
  }
  for (const std::string& key : {std::string(), std::string(65, 'k'), std::string("a/b"),
                                 std::string("a b"), std::string("\xC3\xBC"), std::string("a\0", 2),
                                 std::string("'; DROP TABLE links;--"), std::string("%")}) {
    EXPECT_FALSE(is_key(key));
    EXPECT_NE(complaint([&] { check_chosen_key(key); }), "");
  }
  EXPECT_NE(complaint([] { check_chosen_key("links"); }), "");
}

TEST(Rules, KnowExpiryAndIdempotencyKeysAndPages) {
  EXPECT_EQ(complaint([] { check_expiry(1); }), "");
  EXPECT_EQ(complaint([] { check_expiry(longest_expiry_s); }), "");
  EXPECT_NE(complaint([] { check_expiry(0); }), "");
  EXPECT_NE(complaint([] { check_expiry(INT64_MIN); }), "");
  EXPECT_NE(complaint([] { check_expiry(longest_expiry_s + 1); }), "");
  EXPECT_EQ(complaint([] { check_idempotency_key("order-17/x"); }), "");
  for (const std::string& key : {std::string(), std::string(129, 'k'), std::string("a b"),
                                 std::string("\xC3\xBC"), std::string("a\n")}) {
    EXPECT_NE(complaint([&] { check_idempotency_key(key); }), "");
  }
  EXPECT_EQ(complaint([] { check_page("", "", 1); }), "");
  EXPECT_EQ(complaint([] { check_page("a", "ab", longest_page); }), "");
  EXPECT_NE(complaint([] { check_page("%", "", 1); }), "");
  EXPECT_NE(complaint([] { check_page("", "a b", 1); }), "");
  EXPECT_NE(complaint([] { check_page("", "", 0); }), "");
  EXPECT_NE(complaint([] { check_page("", "", longest_page + 1); }), "");
}

}  // namespace
}  // namespace links
