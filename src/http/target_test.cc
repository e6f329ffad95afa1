// SPDX-License-Identifier: Apache-2.0
// Paths are decoded, resolved and kept below the root; queries are taken apart.
#include "http/target.h"

#include <gtest/gtest.h>

#include <string>

namespace weft::http {
namespace {

std::optional<std::string> resolve(std::string_view path) {
  std::string memory(path.size(), '?');
  const auto resolved = resolve_path(path, memory);
  if (!resolved) return std::nullopt;
  return std::string(*resolved);
}

TEST(TargetTest, APathAndAQueryAreTakenApart) {
  EXPECT_EQ(split_target("/a?b?c").path, "/a");
  EXPECT_EQ(split_target("/a?b?c").query, "b?c");
  EXPECT_EQ(split_target("/a").query, "");
}

TEST(TargetTest, APlainPathIsNotCopied) {
  const std::string path = "/a/b.c/d..e/";
  const auto resolved = resolve_path(path, {});
  ASSERT_TRUE(resolved);
  EXPECT_EQ(*resolved, "a/b.c/d..e/");
  EXPECT_EQ(resolved->data(), path.data() + 1);
}

TEST(TargetTest, SegmentsOfDotsAreResolved) {
  EXPECT_EQ(resolve("/"), "");
  EXPECT_EQ(resolve(""), "");
  EXPECT_EQ(resolve("/./a"), "a");
  EXPECT_EQ(resolve("/a/."), "a/");
  EXPECT_EQ(resolve("/a/b/.."), "a/");
  EXPECT_EQ(resolve("/a/.."), "");
  EXPECT_EQ(resolve("/a/../b/./c/../d"), "b/d");
  EXPECT_EQ(resolve("//a///b//"), "a/b/");
  EXPECT_EQ(resolve("/.a/...b/c"), ".a/...b/c");
}

TEST(TargetTest, NothingIsAboveTheRoot) {
  for (const char* path :
       {"/..", "/../a", "/a/../../b", "/./..", "//..", "/%2e%2e/", "/.%2E", "/a/%2e%2e/%2e./b"}) {
    EXPECT_EQ(resolve(path), std::nullopt) << path;
  }
}

TEST(TargetTest, EscapesAreDecodedOnce) {
  EXPECT_EQ(resolve("/%41%c3%a4"), "A\xc3\xa4");
  EXPECT_EQ(resolve("/%252e"), "%2e");
  EXPECT_EQ(resolve("/a%20b/%7E"), "a b/~");
}

TEST(TargetTest, WhatIsDangerousIsRefused) {
  for (const char* path : {"a", "/%", "/%4", "/%zz", "/a%2fb", "/a%2Fb", "/a%5cb", "/a\\b", "/%00",
                           "/%0a", "/%7f", "/\x01"}) {
    EXPECT_EQ(resolve(path), std::nullopt) << path;
  }
}

TEST(TargetTest, ParametersAreIterated) {
  QueryParameters parameters("a=b&&c&d=e=f&=g");
  std::string all;
  while (const auto parameter = parameters.next()) {
    all += std::string(parameter->name) + ">" + std::string(parameter->value) + ";";
  }
  EXPECT_EQ(all, "a>b;c>;d>e=f;>g;");
}

TEST(TargetTest, ParametersAreDecoded) {
  EXPECT_EQ(decode_parameter("a+b%20%2B%"), "a b +%");
  EXPECT_EQ(decode_parameter("%4"), "%4");
  EXPECT_EQ(find_parameter("x=1&%61=b+c", "a"), "b c");
  EXPECT_EQ(find_parameter("x=1", "a"), std::nullopt);
}

}  // namespace
}  // namespace weft::http
