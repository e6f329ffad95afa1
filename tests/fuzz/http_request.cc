// SPDX-License-Identifier: Apache-2.0
// Fuzzed: the head of a request. It is read the same in any pieces, and again when written anew.
#include <string>

#include "http/body_framing.h"
#include "http/characters.h"
#include "http/request_parser.h"
#include "http_pieces.h"
#include "property.h"

namespace weft::fuzz {
namespace {

using http::Progress;
using http::RequestHead;

constexpr http::RequestLimits limits{256, 512, 8};

struct Answer {
  Progress progress = Progress::need_more;
  http::Refusal refusal;
  RequestHead head;
};

std::string written(const RequestHead& head) {
  std::string text(head.method_text());
  text += ' ';
  text += head.target();
  text += head.version() == http::Version::http_1_1 ? " HTTP/1.1\r\n" : " HTTP/1.0\r\n";
  for (std::size_t i = 0; i < head.field_count(); ++i) {
    text += head.name(i);
    text += ':';
    text += head.value(i);
    text += "\r\n";
  }
  return text + "\r\n";
}

void require_sane(const RequestHead& head, std::string_view input) {
  require(head.size() <= input.size() && head.size() <= limits.head_bytes(), "a head has a size");
  require(input.substr(0, head.size()).ends_with("\r\n\r\n"), "a head ends in an empty line");
  require(!head.chunked() || !head.content_length(), "there is one framing");
  require(head.version() == http::Version::http_1_0 || head.has(http::KnownField::host),
          "there is a host");
  for (std::size_t i = 0; i < head.field_count(); ++i) {
    require(http::is_token(head.name(i)), "names are tokens");
    require(head.value(i).find_first_of(std::string_view("\r\n\0", 3)) == std::string_view::npos,
            "values have one line");
    require(head.find(head.name(i)).has_value(), "a field is found");
  }
  require(head.target().find_first_of(" #\t\r\n") == std::string_view::npos, "a target is one");
  http::body_framing(head, 1000);
}

}  // namespace

void try_input(std::string_view text) {
  const Pieces pieces(text);
  Answer whole;
  whole.progress = http::parse_request(pieces.whole(), limits, whole.head, whole.refusal);
  Answer cut;
  std::string moved;  // at a new place each time, so that an old pointer is found out
  pieces.for_each_prefix([&](std::string_view prefix) {
    std::string copy(prefix);
    cut.progress = http::parse_request(copy, limits, cut.head, cut.refusal);
    moved = std::move(copy);
    return cut.progress == Progress::need_more;
  });
  require(cut.progress == whole.progress, "a head is read the same in pieces");
  require(cut.refusal.status == whole.refusal.status, "and refused for the same status");
  require(cut.refusal.reason == whole.refusal.reason, "and for the same reason");
  if (whole.progress != Progress::complete) {
    require(whole.progress == Progress::need_more || whole.refusal.status >= 400, "why");
    return;
  }
  require_sane(whole.head, pieces.whole());
  cut.head.attach(moved.data());
  const std::string anew = written(whole.head);
  require(anew == written(cut.head), "in pieces it says the same");
  Answer again;
  again.progress = http::parse_request(anew, limits, again.head, again.refusal);
  require(again.progress == Progress::complete, "what was read can be written");
  require(written(again.head) == anew, "and says the same then");
}

}  // namespace weft::fuzz
