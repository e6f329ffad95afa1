// SPDX-License-Identifier: Apache-2.0
// Answers in one piece, in two pieces cut anywhere, byte by byte, and answers that are none.
#include "load/response_parser.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace weft::load {
namespace {

using State = ResponseParser::State;

struct Result {
  State state = State::incomplete;
  unsigned status = 0;
  bool keeps = false;
  std::uint64_t body = 0;
  std::size_t left = 0;  // bytes behind the answer
  std::string problem;
  bool operator==(const Result&) const = default;
};

void PrintTo(const Result& result, std::ostream* out) {
  *out << "state " << static_cast<int>(result.state) << ", status " << result.status << ", keeps "
       << result.keeps << ", body " << result.body << ", left " << result.left << ", "
       << result.problem;
}

// Feeds the text in pieces that end at these places; a connection that closes in the end.
Result parsed(const std::string& text, const std::vector<std::size_t>& cuts, bool is_head,
              bool closes) {
  ResponseParser parser;
  parser.begin(is_head);
  std::size_t begin = 0;
  std::size_t left = 0;
  auto ends = cuts;
  ends.push_back(text.size());
  for (const std::size_t end : ends) {
    std::string_view piece = std::string_view(text).substr(begin, end - begin);
    parser.feed(piece);
    left += piece.size();
    begin = end;
  }
  if (closes) parser.close();
  // How much is left behind a refused byte says nothing.
  if (parser.state() == State::malformed) left = 0;
  return {parser.state(), parser.status(), parser.keeps_connection(), parser.body_bytes(),
          left,           parser.problem()};
}

// In one piece; and in all pairs of pieces, and byte by byte, which must come to the same.
Result parsed(const std::string& text, bool is_head = false, bool closes = false) {
  Result whole = parsed(text, std::vector<std::size_t>{}, is_head, closes);
  std::vector<std::size_t> every;
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    EXPECT_EQ(parsed(text, {cut}, is_head, closes), whole) << "cut at " << cut;
    every.push_back(cut);
  }
  EXPECT_EQ(parsed(text, every, is_head, closes), whole) << "byte by byte";
  return whole;
}

TEST(ResponseParser, ABodyOfAKnownLengthIsComplete) {
  const Result result = parsed("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX: y\r\n\r\nhello");
  EXPECT_EQ(result, (Result{State::complete, 200, true, 5, 0, ""}));
}

TEST(ResponseParser, AShorterBodyIsNotComplete) {
  const std::string text = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell";
  EXPECT_EQ(parsed(text).state, State::incomplete);
  const Result closed = parsed(text, false, true);
  EXPECT_EQ(closed.state, State::malformed);
  EXPECT_EQ(closed.problem, "the connection closed before the end of the answer");
}

TEST(ResponseParser, BytesBehindTheAnswerAreLeft) {
  EXPECT_EQ(parsed("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhiHTTP").left, 4U);
}

TEST(ResponseParser, ChunksAreComplete) {
  const Result result = parsed(
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
      "5\r\nhello\r\nA;name=value\r\n0123456789\r\n0\r\nTrailer: x\r\n\r\n");
  EXPECT_EQ(result, (Result{State::complete, 200, true, 15, 0, ""}));
}

TEST(ResponseParser, ChunksThatEndEarlyAreCut) {
  const std::string head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (const char* body : {"", "5\r\nhel", "5\r\nhello\r\n", "5\r\nhello\r\n0\r\n", "5"}) {
    EXPECT_EQ(parsed(head + body, false, true).state, State::malformed) << body;
  }
}

TEST(ResponseParser, AChunkWithoutASizeIsRefused) {
  const std::string head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (const char* body :
       {"\r\n", "x\r\n", "-1\r\n", "5 \n", "5\nhello", "5\r\nhelloo", "5\r\nhello\rx", "0x5\r\n",
        "fffffffffffffffff\r\n", "1;\x01\r\n", "0\r\nbad trailer\r\n\r\n"}) {
    EXPECT_EQ(parsed(head + body).state, State::malformed) << body;
  }
}

TEST(ResponseParser, ABodyMayEndWithTheConnection) {
  const std::string text = "HTTP/1.1 200 OK\r\n\r\nany length";
  EXPECT_EQ(parsed(text).state, State::incomplete);
  EXPECT_EQ(parsed(text, false, true), (Result{State::complete, 200, false, 10, 0, ""}));
}

TEST(ResponseParser, SomeAnswersHaveNoBody) {
  EXPECT_EQ(parsed("HTTP/1.1 204 No Content\r\n\r\n").state, State::complete);
  EXPECT_EQ(parsed("HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n").state,
            State::complete);
  EXPECT_EQ(parsed("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", true).state, State::complete);
  EXPECT_EQ(parsed("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").state, State::complete);
}

TEST(ResponseParser, InterimAnswersAreSkipped) {
  const Result result = parsed(
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
      "HTTP/1.1 503 Busy\r\nContent-Length: 1\r\n\r\n.");
  EXPECT_EQ(result, (Result{State::complete, 503, true, 1, 0, ""}));
}

TEST(ResponseParser, TheConnectionIsKeptAsTheServerSays) {
  const auto keeps = [](const std::string& version, const std::string& field) {
    return parsed("HTTP/" + version + " 200 OK\r\n" + field + "Content-Length: 0\r\n\r\n").keeps;
  };
  EXPECT_TRUE(keeps("1.1", ""));
  EXPECT_FALSE(keeps("1.1", "Connection: Close\r\n"));
  EXPECT_FALSE(keeps("1.1", "Connection: x, close\r\n"));
  EXPECT_FALSE(keeps("1.0", ""));
  EXPECT_TRUE(keeps("1.0", "connection: Keep-Alive\r\n"));
}

TEST(ResponseParser, BrokenHeadsAreRefused) {
  for (const char* text : {
           "HTTP/2 200 OK\r\n\r\n",
           "http/1.1 200 OK\r\n\r\n",
           "SSH-2.0-x\r\n\r\n",
           "HTTP/1.1 20 OK\r\n\r\n",
           "HTTP/1.1 2000 OK\r\n\r\n",
           "HTTP/1.1 900 OK\r\n\r\n",
           "HTTP/1.1 101 Switching\r\n\r\n",
           "HTTP/1.1 200 OK\r\nContent-Length: 5, 5\r\n\r\n",
           "HTTP/1.1 200 OK\r\nContent-Length: +5\r\n\r\n",
           "HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\n",
           "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n",
           "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
           "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
           "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
           "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
           "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
           "HTTP/1.1 200 OK\r\nX: a\r\n folded\r\n\r\n",
           "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
           "HTTP/1.1 200 OK\r\nspace : a\r\n\r\n",
           "HTTP/1.1 200 OK\r\n: a\r\n\r\n",
           "HTTP/1.1 200 OK\r\nX: a\r\r\n\r\n",
           "HTTP/1.1 200 OK\r\nX: a\nY: b\r\n\r\n",
       }) {
    EXPECT_EQ(parsed(text).state, State::malformed) << text;
  }
}

TEST(ResponseParser, AnEndlessHeadIsRefused) {
  const std::string text = "HTTP/1.1 200 OK\r\nX: " + std::string(65'536, 'a') + "\r\n\r\n";
  for (const std::vector<std::size_t>& cuts : {std::vector<std::size_t>{}, {100}, {65'530}}) {
    EXPECT_EQ(parsed(text, cuts, false, false).problem, "the head is longer than 64 KiB");
  }
}

TEST(ResponseParser, IsUsedAgain) {
  ResponseParser parser;
  for (int i = 0; i < 3; ++i) {
    parser.begin();
    std::string_view half = "HTTP/1.1 200 OK\r\nContent-Le";
    std::string_view rest = "ngth: 2\r\n\r\nab";
    parser.feed(half);
    EXPECT_TRUE(parser.has_begun());
    EXPECT_EQ(parser.feed(rest), State::complete);
    EXPECT_EQ(parser.body_bytes(), 2U);
  }
  parser.begin();
  EXPECT_FALSE(parser.has_begun());
}

}  // namespace
}  // namespace weft::load
