// SPDX-License-Identifier: Apache-2.0
// Fuzzed: the values of the fields that the server reads: conditions, dates, codings.
#include <string>

#include "http/accept_encoding.h"
#include "http/conditional.h"
#include "http/date.h"
#include "http/entity_tag.h"
#include "http/mime.h"
#include "http/request_parser.h"
#include "http/response_head.h"
#include "property.h"

namespace weft::fuzz {
namespace {

constexpr std::int64_t now = 1'700'000'000;

void try_date(std::string_view text) {
  const auto date = http::parse_date(text, now);
  if (!date) return;
  const http::DateText written(*date);
  require(http::parse_date(written.text(), now) == date, "a date is read as it is written");
}

void try_as(std::string_view name, std::string_view value) {
  if (value.find_first_of("\r\n") != std::string_view::npos) return;  // that is no value
  const std::string text = "GET / HTTP/1.0\r\n" + std::string(name) + ": " + std::string(value) +
                           "\r\nIf-None-Match: \"v1\"\r\n\r\n";
  http::RequestHead head;
  http::Refusal refusal;
  if (http::parse_request(text, {}, head, refusal) != http::Progress::complete) return;
  const http::Validators validators{true, "\"v1\"", now - 1000};
  const auto verdict = http::evaluate_preconditions(head, validators, now);
  require(verdict != http::Verdict::proceed, "the tag is known, or something else is wrong");
  http::range_applies(head, validators, now);
  http::EncodingSet available;
  available.add(http::Encoding::br);
  const http::Encoding chosen = http::choose_encoding(head, available);
  require(available.has(chosen), "what is chosen is there");
}

}  // namespace

void try_input(std::string_view text) {
  try_date(text);
  for (const std::string_view name :
       {"If-Match", "If-None-Match", "If-Unmodified-Since", "If-Range", "Accept-Encoding"}) {
    try_as(name, text);
  }
  require(!http::media_type(text).empty(), "everything has a media type");
  char memory[256];
  http::ResponseHead response(memory);
  response.status(200);
  response.field("A", text);
  if (response.finish()) {
    const std::string_view head = response.text();
    require(head.find("\r\n\r\n") == head.size() - 4, "no value ends a head");
    require(head.find("\r\n", 17) == head.size() - 4, "or begins a field");
  }
  require(http::escape_html(text).find_first_of("<>\"'") == std::string::npos, "nothing is HTML");
}

}  // namespace weft::fuzz
