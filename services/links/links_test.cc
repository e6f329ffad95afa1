// SPDX-License-Identifier: Apache-2.0
// The operations, on SQLite in memory; tests/links has the servers.
#include "links.h"

#include <gtest/gtest.h>

#include "failure.h"

namespace links {
namespace {

using namespace std::chrono_literals;

constexpr Instant noon{1'700'000'000'000ms};

class LinksTest : public testing::Test {
 protected:
  LinksTest() : connection_(weft::sql::Url::parse("sqlite::memory:")) {
    weft::sql::migrate(connection_, migrations());
  }
  Links at(Instant time) { return Links(connection_, time); }
  Links now() { return at(noon); }
  Link create(const std::string& url, const std::string& key) {
    return now().create({url, key, std::nullopt, std::nullopt});
  }
  template <class Call>
  static Problem problem_of(Call call) {
    try {
      call();
    } catch (const Failure& failure) {
      return failure.problem();
    }
    ADD_FAILURE() << "it was done";
    return Problem::internal;
  }

  weft::sql::Connection connection_;
};

TEST_F(LinksTest, AreCreatedFollowedCountedAndDeleted) {
  const Link made = now().create({"https://example.org/", {}, {}, {}});
  EXPECT_EQ(made.key.size(), 8U);
  EXPECT_EQ(made.created, noon);
  EXPECT_EQ(made.visits, 0);
  EXPECT_EQ(now().resolve(made.key).url, "https://example.org/");
  EXPECT_EQ(now().resolve(made.key).visits, 2);
  EXPECT_EQ(now().get(made.key).visits, 2);
  now().remove(made.key);
  EXPECT_EQ(problem_of([&] { now().get(made.key); }), Problem::not_found);
  EXPECT_EQ(problem_of([&] { now().resolve(made.key); }), Problem::not_found);
  EXPECT_EQ(problem_of([&] { now().remove(made.key); }), Problem::not_found);
}

TEST_F(LinksTest, HaveTheKeyThatWasChosen) {
  EXPECT_EQ(create("http://a", "Ada").key, "Ada");
  EXPECT_EQ(create("http://b", "ada").key, "ada");  // another one
  EXPECT_EQ(now().get("Ada").url, "http://a");
  EXPECT_EQ(problem_of([&] { create("http://c", "ada"); }), Problem::taken);
  EXPECT_EQ(now().get("ada").url, "http://b");
  EXPECT_EQ(problem_of([&] { create("http://c", "a b"); }), Problem::invalid);
}

TEST_F(LinksTest, ExpireAndCanStillBeLookedAt) {
  const Link made = now().create({"http://a", "k", 60, {}});
  EXPECT_EQ(made.expires, noon + 60s);
  EXPECT_EQ(at(noon + 59'999ms).resolve("k").visits, 1);
  EXPECT_EQ(problem_of([&] { at(noon + 60s).resolve("k"); }), Problem::expired);
  EXPECT_EQ(at(noon + 60s).get("k").visits, 1);
  EXPECT_EQ(problem_of([&] { create("http://b", "k"); }), Problem::taken);
}

TEST_F(LinksTest, AreCreatedOnceHoweverOftenTheSameIsAsked) {
  const NewLink wanted{"http://a", {}, 60, "order-17"};
  const Link made = now().create(wanted);
  const Link again = at(noon + 5s).create(wanted);
  EXPECT_EQ(again.key, made.key);
  EXPECT_EQ(again.created, noon);
  EXPECT_EQ(again.expires, noon + 60s);
  EXPECT_EQ(now().list({"", "", 10}).size(), 1U);
  const auto with = [&](auto change) {
    NewLink other = wanted;
    change(other);
    return problem_of([&] { now().create(other); });
  };
  EXPECT_EQ(with([](NewLink& other) { other.url = "http://b"; }), Problem::reused);
  EXPECT_EQ(with([](NewLink& other) { other.expires_in_s = 61; }), Problem::reused);
  EXPECT_EQ(with([](NewLink& other) { other.expires_in_s.reset(); }), Problem::reused);
  EXPECT_EQ(with([&](NewLink& other) { other.key = made.key; }), Problem::reused);
}

TEST_F(LinksTest, OfAChosenKeyAreCreatedOnceAsWell) {
  const NewLink wanted{"http://a", "k", {}, "order-17"};
  EXPECT_EQ(now().create(wanted).key, "k");
  EXPECT_EQ(now().create(wanted).key, "k");
  EXPECT_EQ(problem_of([&] { now().create({"http://a", "k", {}, "order-18"}); }), Problem::taken);
  EXPECT_EQ(problem_of([&] { now().create({"http://a", "l", {}, "order-17"}); }), Problem::reused);
}

TEST_F(LinksTest, AreListedPageByPage) {
  for (const char* const key : {"b", "a1", "A", "a-", "a_", "aZ", "zz"}) create("http://a", key);
  std::string keys;
  std::string after;
  for (;;) {
    const auto page = now().list({"", after, 2});
    for (const Link& link : page) keys += link.key + " ";
    if (page.size() < 2) break;
    after = page.back().key;
  }
  EXPECT_EQ(keys, "A a- a1 aZ a_ b zz ");
  EXPECT_EQ(now().list({"a", "", 100}).size(), 4U);
  EXPECT_EQ(now().list({"a", "a1", 100}).size(), 2U);
  EXPECT_EQ(now().list({"zzz", "", 100}).size(), 0U);
  EXPECT_EQ(problem_of([&] { now().list({"%", "", 100}); }), Problem::invalid);
}

TEST_F(LinksTest, TakeEverythingAsData) {
  const std::string url = "https://example.org/?q='%20OR%201=1;--&x=\xF0\x9F\x98\x80";
  create(url, "k");
  EXPECT_EQ(now().get("k").url, url);
  EXPECT_EQ(problem_of([&] { now().get("k' OR '1'='1"); }), Problem::not_found);
  EXPECT_EQ(problem_of([&] { now().remove("%"); }), Problem::not_found);
}

}  // namespace
}  // namespace links
