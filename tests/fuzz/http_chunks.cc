// SPDX-License-Identifier: Apache-2.0
// Fuzzed: chunked bodies. They are read the same in any pieces; what was encoded is decoded.
#include <string>

#include "http/chunk_decoder.h"
#include "http/chunk_encoder.h"
#include "http_pieces.h"
#include "property.h"

namespace weft::fuzz {
namespace {

using http::BodyStep;

constexpr http::ChunkLimits limits{64, 256, 256, 4};
constexpr std::uint64_t most_body_bytes = 1 << 20;

// A decoder and what came out of it so far.
class Reader {
 public:
  // Takes all of the body that is there; false: it has come to an end.
  bool read(std::string_view input) {
    for (;;) {
      const std::string_view rest = input.substr(consumed_);
      const BodyStep step = decoder_.next(rest, limits);
      require(step.consumed <= rest.size(), "no more is consumed than there is");
      consumed_ += step.consumed;
      body_ += step.data;
      kind_ = step.kind;
      refusal_ = step.refusal;
      if (step.kind == BodyStep::Kind::data) {
        require(!step.data.empty(), "data is something");
        continue;
      }
      return step.kind == BodyStep::Kind::need_more;
    }
  }

  friend void require_same(const Reader& a, const Reader& b) {
    require(a.kind_ == b.kind_, "a body ends the same");
    require(a.body_ == b.body_, "a body is the same");
    require(a.refusal_.status == b.refusal_.status && a.refusal_.reason == b.refusal_.reason,
            "a body is refused the same");
    const bool is_over = a.kind_ == BodyStep::Kind::end;
    require(!is_over || a.consumed_ == b.consumed_, "a body is as long");
  }
  const std::string& body() const { return body_; }
  BodyStep::Kind kind() const { return kind_; }
  std::size_t consumed() const { return consumed_; }

 private:
  http::ChunkDecoder decoder_{most_body_bytes};
  std::string body_;
  std::size_t consumed_ = 0;
  BodyStep::Kind kind_ = BodyStep::Kind::need_more;
  http::Refusal refusal_;
};

std::string encoded(std::string_view body, std::size_t chunk_bytes) {
  std::string text;
  while (!body.empty()) {
    const std::string_view chunk = body.substr(0, chunk_bytes);
    text += http::ChunkHead(chunk.size()).text();
    text += chunk;
    text += http::chunk_end;
    body.remove_prefix(chunk.size());
  }
  text += http::last_chunk;
  return text;
}

}  // namespace

void try_input(std::string_view text) {
  const Pieces pieces(text);
  Reader whole;
  whole.read(pieces.whole());
  Reader cut;
  pieces.for_each_prefix([&](std::string_view prefix) { return cut.read(prefix); });
  require_same(whole, cut);

  Reader back;
  const std::string chunks = encoded(pieces.whole(), 1 + pieces.choice());
  back.read(chunks + "GET");
  require(back.kind() == BodyStep::Kind::end, "what was encoded ends");
  require(back.body() == pieces.whole(), "what was encoded is decoded");
  require(back.consumed() == chunks.size(), "and nothing behind it");
}

}  // namespace weft::fuzz
