// SPDX-License-Identifier: Apache-2.0
// Frames in pieces of any size: all are passed on, but for resets of streams that never began.
#include "wire/idle_resets.h"

#include <gtest/gtest.h>

#include <string>

namespace weft::wire {
namespace {

const std::string preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

std::string frame(char type, std::uint32_t stream, const std::string& payload) {
  std::string bytes;
  for (int shift = 16; shift >= 0; shift -= 8) {
    bytes += static_cast<char>(payload.size() >> shift & 0xffU);
  }
  bytes += type;
  bytes += '\0';
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(stream >> shift & 0xffU);
  return bytes + payload;
}

std::string reset(std::uint32_t stream, std::size_t bytes = 4) {
  return frame(3, stream, std::string(bytes, '\x08'));
}
std::string headers(std::uint32_t stream) {
  return frame(1, stream, "some headers");
}

struct Passed {
  std::string bytes;
  std::uint32_t left_out;
};

Passed pass(const std::string& all, std::size_t piece) {
  IdleResets resets;
  Passed passed{{}, 0};
  for (std::size_t at = 0; at < all.size(); at += piece) {
    EXPECT_TRUE(resets.pass(std::string_view(all).substr(at, piece), [&](std::string_view given) {
      passed.bytes += given;
      return true;
    }));
    passed.left_out += resets.take_count();
  }
  return passed;
}

TEST(IdleResets, AreLeftOutWhateverThePieces) {
  const std::string settings = frame(4, 0, "");
  const std::string data = frame(0, 5, std::string(300, 'x'));
  const std::string all = preface + settings + reset(1) + headers(5) + data + reset(7) + reset(9) +
                          reset(5) + reset(3) + headers(9) + reset(9) + reset(11);
  const std::string expected =
      preface + settings + headers(5) + data + reset(5) + reset(3) + headers(9) + reset(9);
  for (std::size_t piece = 1; piece <= all.size(); ++piece) {
    const Passed passed = pass(all, piece);
    ASSERT_EQ(passed.bytes, expected) << piece;
    ASSERT_EQ(passed.left_out, 4U) << piece;
  }
}

TEST(IdleResets, WhatIsWrongInAnotherWayIsNotTheirs) {
  for (const std::string& other :
       {reset(0), reset(2), reset(1, 3), reset(1, 5), frame(8, 1, "1234"), frame(9, 1, "x"),
        std::string("\xff\xff\xff", 3)}) {
    for (std::size_t piece = 1; piece <= preface.size() + other.size(); ++piece) {
      const Passed passed = pass(preface + other + std::string(64, '\0'), piece);
      ASSERT_EQ(passed.bytes.substr(0, preface.size() + other.size()), preface + other);
      ASSERT_EQ(passed.left_out, 0U);
    }
  }
}

TEST(IdleResets, WhoHasEnoughGetsNoMore) {
  IdleResets resets;
  int pieces = 0;
  EXPECT_FALSE(resets.pass(preface + reset(1) + headers(1), [&](std::string_view) {
    ++pieces;
    return false;
  }));
  EXPECT_EQ(pieces, 1);
}

}  // namespace
}  // namespace weft::wire
