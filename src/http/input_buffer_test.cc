// SPDX-License-Identifier: Apache-2.0
// Bytes come out as they went in, and a head stays while its body passes by.
#include "http/input_buffer.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>

namespace weft::http {
namespace {

void write(InputBuffer& buffer, std::string_view text) {
  const auto room = buffer.room(text.size());
  ASSERT_GE(room.size(), text.size());
  std::memcpy(room.data(), text.data(), text.size());
  buffer.commit(text.size());
}

TEST(InputBufferTest, AnIdleOneHasNoMemory) {
  InputBuffer buffer;
  EXPECT_EQ(buffer.capacity(), 0U);
  write(buffer, "abc");
  EXPECT_FALSE(buffer.release());
  buffer.consume(3);
  EXPECT_TRUE(buffer.release());
  EXPECT_EQ(buffer.capacity(), 0U);
  write(buffer, "def");
  EXPECT_EQ(buffer.unread(), "def");
}

TEST(InputBufferTest, ItDoesNotGrowWhileBytesAreConsumed) {
  InputBuffer buffer;
  const std::string piece(1000, 'a');
  for (int i = 0; i < 100; ++i) {
    write(buffer, piece);
    buffer.consume(i % 2 == 0 ? 900 : 1100);
  }
  EXPECT_EQ(buffer.capacity(), 4096U);
}

TEST(InputBufferTest, WhatIsKeptStaysWhileABodyPassesBy) {
  InputBuffer buffer;
  write(buffer, "beforeHEAD");
  buffer.consume(6);
  buffer.keep(4);
  EXPECT_FALSE(buffer.release());
  const std::string piece(3000, 'b');
  for (int i = 0; i < 10; ++i) {
    write(buffer, piece);
    EXPECT_EQ(buffer.kept(), "HEAD");
    buffer.consume(3000);
  }
  EXPECT_EQ(buffer.capacity(), 4096U);
  write(buffer, std::string(100'000, 'c'));
  EXPECT_EQ(buffer.kept(), "HEAD");
  EXPECT_EQ(buffer.unread(), std::string(100'000, 'c'));
  buffer.drop_kept();
  buffer.consume(100'000);
  EXPECT_TRUE(buffer.release());
}

TEST(InputBufferTest, BytesComeOutAsTheyWentIn) {
  std::mt19937 random(3);
  InputBuffer buffer;
  std::string expected;
  for (int i = 0; i < 2000; ++i) {
    const std::string piece(random() % 700, static_cast<char>('a' + i % 26));
    if (i % 50 == 0) {
      const std::size_t kept = random() % (expected.size() + 1);
      buffer.keep(kept);
      ASSERT_EQ(buffer.kept(), expected.substr(0, kept));
      expected.erase(0, kept);
    }
    if (i % 50 == 40) buffer.drop_kept();
    write(buffer, piece);
    expected += piece;
    ASSERT_EQ(buffer.unread(), expected);
    const std::size_t taken = random() % (expected.size() + 1);
    buffer.consume(taken);
    expected.erase(0, taken);
  }
}

}  // namespace
}  // namespace weft::http
