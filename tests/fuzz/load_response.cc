// SPDX-License-Identifier: Apache-2.0
// Fuzzed: what a server under load answers. It is read the same in any pieces; a body that was
// framed by length, by chunks or by the end is counted to its last byte and no further.
#include <string>

#include "http_pieces.h"
#include "load/response_parser.h"
#include "property.h"

namespace weft::fuzz {
namespace {

using load::ResponseParser;
using State = ResponseParser::State;

constexpr std::string_view behind = "HTTP/1.1";  // of the next answer

// A parser and how much of the input it took.
struct Reader {
  explicit Reader(bool to_head_request) { parser.begin(to_head_request); }

  // Takes all that `input` holds by now; false: the answer has come to an end.
  bool read(std::string_view input) {
    std::string_view rest = input.substr(consumed);
    const std::size_t before = rest.size();
    const State state = parser.feed(rest);
    require(rest.size() <= before, "no more is consumed than there is");
    consumed += before - rest.size();
    require(state != State::incomplete || rest.empty(), "who wants more has taken all");
    return state == State::incomplete;
  }

  ResponseParser parser;
  std::size_t consumed = 0;
};

void require_same(const Reader& a, const Reader& b) {
  require(a.parser.state() == b.parser.state(), "an answer ends the same");
  require(std::string_view(a.parser.problem()) == b.parser.problem(), "and for the same reason");
  require(a.parser.status() == b.parser.status(), "its status is the same");
  require(a.parser.body_bytes() == b.parser.body_bytes(), "its body is as long");
  require(a.parser.keeps_connection() == b.parser.keeps_connection(), "the connection is kept");
  const bool is_complete = a.parser.state() == State::complete;
  require(!is_complete || a.consumed == b.consumed, "an answer is as long");
}

void require_sane(const ResponseParser& parser) {
  const bool is_malformed = parser.state() == State::malformed;
  require(is_malformed == (*parser.problem() != '\0'), "what is wrong is said");
  require(!is_malformed || !parser.keeps_connection(), "nothing follows a wrong answer");
  if (parser.state() != State::complete) return;
  require(parser.status() >= 200 && parser.status() <= 599, "a whole answer has a status");
}

std::string chunks_of(std::string_view body, std::size_t chunk_bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  while (!body.empty()) {
    const std::string_view chunk = body.substr(0, chunk_bytes);
    if (chunk.size() >= 16) text += digits[chunk.size() / 16 % 16];
    text += digits[chunk.size() % 16];
    text += ";a=b\r\n";
    text += chunk;
    text += "\r\n";
    body.remove_prefix(chunk.size());
  }
  return text + "0\r\nTrailer: x\r\n\r\n";
}

void try_body(std::string_view body, unsigned choice) {
  const std::string by_length =
      "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
      std::string(body);
  const std::string by_chunks =
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks_of(body, 1 + choice % 255);
  for (const std::string& text : {by_length, by_chunks}) {
    Reader reader(false);
    reader.read(text + std::string(behind));
    require(reader.parser.state() == State::complete, "what was framed ends");
    require(reader.parser.body_bytes() == body.size(), "all of it is counted");
    require(reader.consumed == text.size(), "and nothing behind it");
    require(reader.parser.keeps_connection(), "the connection is kept");
    Reader cut(false);
    cut.read(std::string_view(text).substr(0, text.size() - 1));
    require(cut.parser.close() == State::malformed, "a cut answer is noticed");
  }
  Reader until_close(false);
  until_close.read("HTTP/1.1 200 OK\r\n\r\n" + std::string(body));
  require(until_close.parser.close() == State::complete, "the end ends a body");
  require(until_close.parser.body_bytes() == body.size(), "and all of it is counted");
}

}  // namespace

void try_input(std::string_view text) {
  const Pieces pieces(text);
  const bool to_head_request = (pieces.choice() & 1U) != 0;
  Reader whole(to_head_request);
  whole.read(pieces.whole());
  Reader cut(to_head_request);
  pieces.for_each_prefix([&](std::string_view prefix) {
    return cut.read(std::string(prefix));  // a copy: whoever keeps a pointer is found out
  });
  require_same(whole, cut);
  require_sane(whole.parser);
  whole.parser.close();
  cut.parser.close();
  require_same(whole, cut);
  require_sane(whole.parser);
  try_body(pieces.whole(), pieces.choice());
}

}  // namespace weft::fuzz
