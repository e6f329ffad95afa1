// SPDX-License-Identifier: Apache-2.0
// Chunked bodies are taken apart and put together. What is refused is in tests/http.
#include "http/chunk_decoder.h"

#include <gtest/gtest.h>

#include <string>

#include "http/chunk_encoder.h"

namespace weft::http {
namespace {

using Kind = BodyStep::Kind;

struct Decoded {
  std::string body;
  std::size_t consumed = 0;
  Kind kind = Kind::need_more;
  int status = 0;
};

Decoded decode(std::string_view input, const ChunkLimits& limits = {},
               std::uint64_t most_body_bytes = 1000) {
  ChunkDecoder decoder(most_body_bytes);
  Decoded decoded;
  for (;;) {
    const BodyStep step = decoder.next(input.substr(decoded.consumed), limits);
    decoded.consumed += step.consumed;
    decoded.body += step.data;
    decoded.kind = step.kind;
    decoded.status = step.refusal.status;
    if (step.kind != Kind::data) return decoded;
  }
}

TEST(ChunkDecoderTest, ABodyIsItsChunksWithoutWhatIsAroundThem) {
  const std::string text = "5\r\nhello\r\n006;a=\"b\"\r\n world\r\n0\r\nA: b\r\n\r\n";
  const Decoded decoded = decode(text + "GET");
  EXPECT_EQ(decoded.kind, Kind::end);
  EXPECT_EQ(decoded.body, "hello world");
  EXPECT_EQ(decoded.consumed, text.size());
}

TEST(ChunkDecoderTest, DataIsWithinTheInput) {
  const std::string_view input = "5\r\nhello";
  ChunkDecoder decoder(5);
  const BodyStep step = decoder.next(input, {});
  EXPECT_EQ(step.kind, Kind::data);
  EXPECT_EQ(step.data.data(), input.data() + 3);
  EXPECT_EQ(decoder.body_bytes(), 5U);
}

TEST(ChunkDecoderTest, ALineIsConsumedAsAWhole) {
  ChunkDecoder decoder(1000);
  EXPECT_EQ(decoder.next("5;abc\r", {}).consumed, 0U);
  EXPECT_EQ(decoder.next("5;abc\r\n", {}).consumed, 7U);
}

TEST(ChunkDecoderTest, TheEndStaysTheEnd) {
  ChunkDecoder decoder(1000);
  EXPECT_EQ(decoder.next("0\r\n\r\n", {}).kind, Kind::end);
  EXPECT_EQ(decoder.next("1\r\n", {}).kind, Kind::end);
  EXPECT_EQ(decoder.next("1\r\n", {}).consumed, 0U);
}

TEST(ChunkDecoderTest, AFailureStaysAFailure) {
  ChunkDecoder decoder(1000);
  EXPECT_EQ(decoder.next("x", {}).kind, Kind::failed);
  EXPECT_EQ(decoder.next("0\r\n\r\n", {}).kind, Kind::failed);
}

TEST(ChunkDecoderTest, LimitsAreExact) {
  EXPECT_EQ(decode("5;ab\r\nhello\r\n0\r\n\r\n", {6, 3, 2, 1}, 5).kind, Kind::end);
  EXPECT_EQ(decode("5;ab\r\nhello\r\n0\r\n\r\n", {5, 3, 2, 1}, 5).status, 400);
  EXPECT_EQ(decode("5;ab\r\nhello\r\n0\r\n\r\n", {6, 2, 2, 1}, 5).status, 400);
  EXPECT_EQ(decode("5;ab\r\nhello\r\n0\r\n\r\n", {6, 3, 1, 1}, 5).status, 431);
  EXPECT_EQ(decode("5;ab\r\nhello\r\n0\r\n\r\n", {6, 3, 2, 1}, 4).status, 413);
  EXPECT_EQ(decode("0\r\nA:\r\n\r\n", {6, 3, 6, 1}).kind, Kind::end);
  EXPECT_EQ(decode("0\r\nA:\r\n\r\n", {6, 3, 5, 1}).status, 431);
  EXPECT_EQ(decode("0\r\nA:\r\n\r\n", {6, 3, 6, 0}).status, 431);
}

TEST(ChunkEncoderTest, ASizeIsHexadecimal) {
  EXPECT_EQ(ChunkHead(1).text(), "1\r\n");
  EXPECT_EQ(ChunkHead(0xabc).text(), "abc\r\n");
  EXPECT_EQ(ChunkHead(UINT64_MAX).text(), "ffffffffffffffff\r\n");
}

}  // namespace
}  // namespace weft::http
