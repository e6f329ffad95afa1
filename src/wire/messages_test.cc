// SPDX-License-Identifier: Apache-2.0
// Messages in pieces of any size, and what is wrong with them.
#include "wire/messages.h"

#include <gtest/gtest.h>

namespace weft::wire {
namespace {

constexpr std::size_t most_bytes = 1000;

std::string framed(std::string_view message, char flag = 0) {
  std::string bytes(prefix_bytes, 0);
  write_prefix(bytes.data(), static_cast<std::uint32_t>(message.size()));
  bytes[0] = flag;
  return bytes.append(message);
}

Messages fresh(std::size_t most = most_bytes) {
  Messages messages;
  messages.restart(most);
  return messages;
}

TEST(Messages, WritesWhatItReads) {
  std::string bytes(prefix_bytes, 'x');
  write_prefix(bytes.data(), 0x01020304);
  EXPECT_EQ(bytes, std::string("\0\1\2\3\4", 5));
}

TEST(Messages, ComeInPiecesOfAnySize) {
  const std::string all = framed("one") + framed("") + framed(std::string(600, 'x')) + framed("4");
  for (std::size_t piece = 1; piece <= all.size(); ++piece) {
    Messages messages = fresh();
    std::vector<std::string> seen;
    std::size_t taken = 0;
    for (std::size_t at = 0; at < all.size(); at += piece) {
      messages.add(std::string_view(all).substr(at, piece));
      while (const auto message = messages.front()) {
        seen.emplace_back(*message);
        taken += messages.pop();
      }
    }
    EXPECT_EQ(seen, (std::vector<std::string>{"one", "", std::string(600, 'x'), "4"})) << piece;
    EXPECT_EQ(taken, all.size());
    EXPECT_TRUE(messages.empty());
    EXPECT_EQ(messages.problem(), Messages::Problem::none);
  }
}

TEST(Messages, AreNotEmptyWhereAPieceIsMissing) {
  Messages messages = fresh();
  const std::string whole = framed("text");
  messages.add(std::string_view(whole).substr(0, whole.size() - 1));
  EXPECT_FALSE(messages.front());
  EXPECT_FALSE(messages.empty());
}

TEST(Messages, AreRefusedByTheirPrefix) {
  struct Case {
    std::string bytes;
    Messages::Problem problem;
  };
  for (const Case& each : {Case{framed("x", 1), Messages::Problem::compressed},
                           Case{framed("x", 2), Messages::Problem::malformed},
                           Case{framed("x", '\xff'), Messages::Problem::malformed},
                           Case{std::string("\0\0\0\x03\xe9", 5), Messages::Problem::too_long},
                           Case{std::string("\0\xff\xff\xff\xff", 5), Messages::Problem::too_long},
                           Case{std::string("\0\0\0\x03\xe8", 5), Messages::Problem::none}}) {
    Messages messages = fresh();
    messages.add(each.bytes);
    EXPECT_EQ(messages.problem(), each.problem);
    messages.add(std::string(5000, 'x'));
    EXPECT_EQ(messages.front().has_value(), each.problem == Messages::Problem::none);
    EXPECT_LT(messages.buffered_bytes(), each.problem == Messages::Problem::none ? 6000U : 10U);
  }
}

TEST(Messages, AWrongOneBehindARightOneIsSeenWhenItIsNext) {
  Messages messages = fresh();
  messages.add(framed("right") + framed("wrong", 7));
  EXPECT_EQ(messages.front(), "right");
  messages.pop();
  EXPECT_EQ(messages.problem(), Messages::Problem::malformed);
  EXPECT_FALSE(messages.front());
  messages.restart(most_bytes);
  messages.add(framed("again"));
  EXPECT_EQ(messages.front(), "again");
}

}  // namespace
}  // namespace weft::wire
