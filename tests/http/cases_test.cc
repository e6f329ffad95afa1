// SPDX-License-Identifier: Apache-2.0
// Every case gets the statuses that it expects, however its bytes are cut.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <set>
#include <string>

#include "case_file.h"
#include "fake_server.h"

namespace weft::http {
namespace {

class CasesTest : public testing::TestWithParam<std::string> {
 protected:
  std::vector<Case> cases() const { return read_cases(WEFT_HTTP_CASES "/" + GetParam() + ".json"); }
};

std::vector<std::string> families() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(WEFT_HTTP_CASES)) {
    names.push_back(entry.path().stem());
  }
  std::sort(names.begin(), names.end());
  return names;
}

TEST_P(CasesTest, AreAnsweredAsTheyMustBe) {
  for (const Case& each : cases()) {
    FakeServer server;
    server.receive(each.send);
    EXPECT_EQ(server.statuses(), each.expect) << each.name << '\n' << server.output();
    EXPECT_EQ(server.is_closed(), each.closes) << each.name << '\n' << server.output();
  }
}

TEST_P(CasesTest, AreAnsweredTheSameByteByByte) {
  for (const Case& each : cases()) {
    FakeServer whole;
    whole.receive(each.send);
    FakeServer byte_by_byte;
    if (each.send.size() > 50'000) continue;  // those would take long, and say no more
    for (const char byte : each.send) byte_by_byte.receive({&byte, 1});
    EXPECT_EQ(byte_by_byte.output(), whole.output()) << each.name;
    EXPECT_EQ(byte_by_byte.is_closed(), whole.is_closed()) << each.name;
  }
}

TEST_P(CasesTest, AreAnsweredTheSameInPieces) {
  std::mt19937 random(5);
  for (const Case& each : cases()) {
    FakeServer whole;
    whole.receive(each.send);
    FakeServer in_pieces;
    std::string_view rest = each.send;
    while (!rest.empty()) {
      const std::size_t size = std::min<std::size_t>(rest.size(), 1 + random() % 4000);
      in_pieces.receive(rest.substr(0, size));
      rest.remove_prefix(size);
    }
    EXPECT_EQ(in_pieces.output(), whole.output()) << each.name;
    EXPECT_EQ(in_pieces.is_closed(), whole.is_closed()) << each.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Families, CasesTest, testing::ValuesIn(families()),
                         [](const auto& info) { return info.param; });

TEST(AllCases, AreManyAndHaveNamesOfTheirOwn) {
  std::set<std::string> names;
  std::size_t count = 0;
  for (const std::string& family : families()) {
    for (const Case& each : read_cases(WEFT_HTTP_CASES "/" + family + ".json")) {
      EXPECT_TRUE(names.insert(each.name).second) << each.name;
      ++count;
    }
  }
  EXPECT_GE(count, 200U);
}

}  // namespace
}  // namespace weft::http
