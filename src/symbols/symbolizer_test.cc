// SPDX-License-Identifier: Apache-2.0
// Addresses of this very program and of libraries, named.
#include "symbols/symbolizer.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

namespace weft::symbols {
namespace {

constexpr int line_of_named_function = __LINE__ + 1;
[[gnu::noinline]] std::uintptr_t a_named_function(int) {
  return reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
}

Symbolizer own() {
  auto symbolizer = Symbolizer::open_self();
  EXPECT_TRUE(symbolizer.ok()) << symbolizer.error().message;
  return std::move(symbolizer).value();
}

TEST(Symbolizer, NamesOwnFunctions) {
  const Location location = own().look_up(reinterpret_cast<std::uintptr_t>(&a_named_function));
  EXPECT_NE(location.function.find("a_named_function(int)"), std::string::npos)
      << location.function;
  EXPECT_EQ(file_name(location.file), "symbolizer_test.cc");
  EXPECT_EQ(location.line, line_of_named_function);
  EXPECT_EQ(file_name(location.module), "symbols_test");
}

TEST(Symbolizer, FindsTheCallBeforeAReturnAddress) {
  const int line = __LINE__ + 1;
  const std::uintptr_t returns_to = a_named_function(1);
  const Location location = own().look_up_caller(returns_to);
  EXPECT_EQ(location.line, line);
  EXPECT_NE(location.function.find("FindsTheCallBeforeAReturnAddress"), std::string::npos);
}

TEST(Symbolizer, NamesFunctionsOfLibrariesWithoutLines) {
  const Location location = own().look_up(reinterpret_cast<std::uintptr_t>(&::getenv));
  EXPECT_NE(location.function.find("getenv"), std::string::npos);
  EXPECT_TRUE(file_name(location.module).starts_with("libc.so")) << location.module;
}

TEST(Symbolizer, KnowsNothingOfOtherMemory) {
  const int here = 0;
  const auto address = reinterpret_cast<std::uintptr_t>(&here);
  const Location location = own().look_up(address);
  EXPECT_TRUE(location.function.empty());
  EXPECT_TRUE(location.file.empty());
  EXPECT_TRUE(own().look_up(16).module.empty());
}

TEST(Symbolizer, SaysWhenThereIsNoSuchProcess) {
  constexpr pid_t beyond_all = 0x7ffffff0;
  const auto symbolizer = Symbolizer::open(beyond_all);
  ASSERT_FALSE(symbolizer.ok());
  EXPECT_NE(symbolizer.error().message.find("process 2147483632"), std::string::npos);
}

TEST(Describe, SaysWhatIsKnown) {
  EXPECT_EQ(describe({.function = "f(int)", .file = "/a/b.cc", .line = 41}), "f(int) at b.cc:41");
  EXPECT_EQ(describe({.file = "b.cc", .line = 41}), "b.cc:41");
  EXPECT_EQ(describe({.function = "f()", .module = "/lib/l.so", .offset = 16}), "f() in l.so+0x10");
  EXPECT_EQ(describe({.module = "/lib/l.so", .offset = 16}), "l.so+0x10");
  EXPECT_EQ(describe({.offset = 16}), "0x10");
}

}  // namespace
}  // namespace weft::symbols
