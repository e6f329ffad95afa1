// SPDX-License-Identifier: Apache-2.0
// Routes are found, the best one first; patterns that cannot be told apart are refused.
#include "http/router.h"

#include <gtest/gtest.h>

#include <string>

namespace weft::http {
namespace {

using Kind = RouteMatch::Kind;

struct RouterTest : testing::Test {
  Router router;

  RouteId add(std::string_view pattern, Method method = Method::get) {
    const auto id = router.add(method, pattern);
    EXPECT_TRUE(id.ok()) << (id.ok() ? "" : id.error().message);
    return id.ok() ? *id : 999;
  }
  RouteId found(std::string_view path, Method method = Method::get) const {
    const RouteMatch match = router.find(method, path);
    return match.kind == Kind::found ? match.route : 999;
  }
};

TEST_F(RouterTest, TextsAreFoundExactly) {
  const RouteId root = add("/");
  const RouteId users = add("/users");
  const RouteId folder = add("/users/");
  const RouteId mine = add("/users/me");
  EXPECT_EQ(found(""), root);
  EXPECT_EQ(found("users"), users);
  EXPECT_EQ(found("users/"), folder);
  EXPECT_EQ(found("users/me"), mine);
  EXPECT_EQ(router.find(Method::get, "user").kind, Kind::not_found);
  EXPECT_EQ(router.find(Method::get, "users/me/").kind, Kind::not_found);
  EXPECT_EQ(router.find(Method::get, "Users").kind, Kind::not_found);
}

TEST_F(RouterTest, ParametersHaveTheirValues) {
  const RouteId file = add("/users/{id}/files/{path*}");
  const std::string path = "users/7/files/a/b/";
  const RouteMatch match = router.find(Method::get, path);
  EXPECT_EQ(match.route, file);
  EXPECT_EQ(router.parameter(match, "id"), "7");
  EXPECT_EQ(router.parameter(match, "path"), "a/b/");
  EXPECT_EQ(router.parameter(match, "other"), std::nullopt);
  EXPECT_EQ(found("users/7/files/"), file);
  EXPECT_EQ(found("users/7/files"), 999U);
  EXPECT_EQ(found("users//files/a"), 999U);
}

TEST_F(RouterTest, TheMostExactPatternWins) {
  const RouteId rest = add("/{all*}");
  const RouteId one = add("/a/{x}");
  const RouteId text = add("/a/b");
  const RouteId deeper = add("/a/{x}/c");
  EXPECT_EQ(found("a/b"), text);
  EXPECT_EQ(found("a/d"), one);
  EXPECT_EQ(found("a/b/c"), deeper);
  EXPECT_EQ(found("a/b/d"), rest);
  EXPECT_EQ(found(""), rest);
  const RouteMatch match = router.find(Method::get, "a/b/d");
  EXPECT_EQ(match.value_count, 1U);
  EXPECT_EQ(router.parameter(match, "all"), "a/b/d");
}

TEST_F(RouterTest, AnotherPatternMayHaveTheMethod) {
  add("/a/b", Method::get);
  const RouteId any = add("/a/{x}", Method::delete_);
  EXPECT_EQ(found("a/b", Method::delete_), any);
  const RouteMatch put = router.find(Method::put, "a/b");
  EXPECT_EQ(put.kind, Kind::method_not_allowed);
  EXPECT_EQ(allow_text(put.allowed), "GET, HEAD, DELETE, OPTIONS");
}

TEST_F(RouterTest, HeadGoesWhereGetGoes) {
  const RouteId get = add("/a");
  EXPECT_EQ(found("a", Method::head), get);
  const RouteId head = add("/a", Method::head);
  EXPECT_EQ(found("a", Method::head), head);
}

TEST_F(RouterTest, OptionsAreAnsweredUnlessThereIsARoute) {
  add("/a", Method::post);
  const RouteMatch match = router.find(Method::options, "a");
  EXPECT_EQ(match.kind, Kind::options);
  EXPECT_EQ(allow_text(match.allowed), "POST, OPTIONS");
  EXPECT_EQ(router.find(Method::options, "b").kind, Kind::not_found);
  const RouteId own = add("/a", Method::options);
  EXPECT_EQ(found("a", Method::options), own);
  EXPECT_EQ(allow_text(router.allowed_anywhere()), "POST, OPTIONS");
}

TEST_F(RouterTest, AMethodThatNobodyKnowsIsNotImplemented) {
  add("/a");
  EXPECT_EQ(router.find(Method::other, "a").kind, Kind::not_implemented);
}

TEST_F(RouterTest, PatternsThatAreNoneAreRefused) {
  for (const char* pattern :
       {"", "a", "/{", "/{}", "/{a", "/a}", "/x{a}", "/{a}x", "/{a b}", "/{a*}/b", "/{*}", "/a//b",
        "/./a", "/..", "/{a}/{a}", "/{a}/{b}/{c}/{d}/{e}/{f}/{g}/{h}/{i}"}) {
    EXPECT_FALSE(router.add(Method::get, pattern).ok()) << pattern;
  }
  EXPECT_FALSE(router.add(Method::other, "/a").ok());
  EXPECT_EQ(router.find(Method::get, "a").kind, Kind::not_found);
}

TEST_F(RouterTest, PatternsThatCannotBeToldApartAreRefused) {
  add("/a/{x}");
  const auto other = router.add(Method::get, "/a/{y}");
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.error().message, "the pattern \"/a/{y}\" matches the same paths as \"/a/{x}\"");
  EXPECT_TRUE(router.add(Method::post, "/a/{y}").ok());
  EXPECT_TRUE(router.add(Method::get, "/a/{z*}").ok());
}

}  // namespace
}  // namespace weft::http
