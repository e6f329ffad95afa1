// SPDX-License-Identifier: Apache-2.0
// The smallest driver of a session.
#include "fake_server.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>

#include "http/chunk_encoder.h"
#include "http/conditional.h"
#include "http/date.h"
#include "http/range.h"
#include "http/response_head.h"
#include "http/target.h"

namespace weft::http {
namespace {

enum Routes : RouteId { root, file, echo_get, echo_post, echo_put, stream, early };

constexpr std::int64_t modified = 784111777;  // Sun, 06 Nov 1994 08:49:37 GMT
constexpr std::int64_t now = 1'700'000'000;
constexpr TimePoint start{};

}  // namespace

FakeServer::FakeServer() : session_(limits_, start) {
  const std::array<std::pair<Method, const char*>, 7> routes = {{{Method::get, "/"},
                                                                 {Method::get, "/file.txt"},
                                                                 {Method::get, "/echo"},
                                                                 {Method::post, "/echo"},
                                                                 {Method::put, "/echo"},
                                                                 {Method::get, "/stream"},
                                                                 {Method::post, "/early"}}};
  for (const auto& [method, pattern] : routes) {
    if (!router_.add(method, pattern)) throw std::runtime_error(pattern);
  }
}

void FakeServer::receive(std::string_view bytes) {
  while (!bytes.empty() && !is_closed_) {
    const auto room = input_.room(1);
    const std::size_t size = std::min(room.size(), bytes.size());
    std::memcpy(room.data(), bytes.data(), size);
    input_.commit(size);
    bytes.remove_prefix(size);
    if (!input_.kept().empty()) head_.attach(input_.kept().data());
    run();
  }
}

void FakeServer::run() {
  while (!is_closed_) {
    const Event event = session_.next(input_.unread(), head_, start);
    if (event.kind == Event::Kind::need_input) return;
    const bool is_head = event.kind == Event::Kind::head;
    is_head ? input_.keep(event.consumed) : input_.consume(event.consumed);
    handle(event);
    if (session_.is_idle()) input_.drop_kept();
  }
}

void FakeServer::handle(const Event& event) {
  switch (event.kind) {
    case Event::Kind::need_input:
    case Event::Kind::skipped:
      return;
    case Event::Kind::head:
      request_body_.clear();
      if (is_early()) {
        respond({200, "early", {}, {}});
      } else if (session_.wants_continue()) {
        output_ += Session::continue_line;
        statuses_.push_back(100);
        session_.continue_sent();
      }
      return;
    case Event::Kind::body:
      request_body_ += event.body;
      return;
    case Event::Kind::complete:
      respond(answer());
      return;
    case Event::Kind::response_pending:
      throw std::logic_error("everything is answered at once");
    case Event::Kind::refuse:
      output_ += refusal_response(event.refusal, DateText(now).text());
      statuses_.push_back(event.refusal.status);
      is_closed_ = true;
      return;
    case Event::Kind::close:
      is_closed_ = true;
      return;
  }
}

bool FakeServer::is_early() const {
  return head_.method() == Method::post && head_.path_and_query() == "/early";
}

FakeServer::Answer FakeServer::answer() const {
  if (head_.form() == TargetForm::asterisk) {
    return {204, "", {{"Allow", allow_text(router_.allowed_anywhere())}}, {}};
  }
  if (head_.form() == TargetForm::authority) {
    return {405, "", {{"Allow", allow_text(router_.allowed_anywhere())}}, {}};
  }
  const Target target = split_target(head_.path_and_query());
  std::string memory(target.path.size(), 0);
  const auto path = resolve_path(target.path, memory);
  if (!path) return {400, "", {}, {}};
  const RouteMatch match = router_.find(head_.method(), *path);
  switch (match.kind) {
    case RouteMatch::Kind::options:
      return {204, "", {{"Allow", allow_text(match.allowed)}}, {}};
    case RouteMatch::Kind::method_not_allowed:
      return {405, "", {{"Allow", allow_text(match.allowed)}}, {}};
    case RouteMatch::Kind::not_implemented:
      return {501, "", {}, {}};
    case RouteMatch::Kind::not_found:
      return {404, "", {}, {}};
    case RouteMatch::Kind::found:
      break;
  }
  if (match.route == file) return answer_file();
  if (match.route == stream) return {200, std::nullopt, {}, "streamed"};
  return {200, match.route == root ? "hello" : request_body_, {}, {}};
}

FakeServer::Answer FakeServer::answer_file() const {
  const Validators validators{true, "\"v1\"", modified};
  const std::string content(1000, 'x');
  switch (evaluate_preconditions(head_, validators, now)) {
    case Verdict::not_modified:
      return {304, "", {{"ETag", "\"v1\""}}, {}};
    case Verdict::precondition_failed:
      return {412, "", {}, {}};
    case Verdict::proceed:
      break;
  }
  RangeSet set;
  const auto range = head_.find(KnownField::range);
  if (!range || head_.has_more_than_one(KnownField::range) || head_.method() != Method::get ||
      !range_applies(head_, validators, now)) {
    return {200, content, {}, {}};
  }
  switch (parse_range(*range, content.size(), set)) {
    case RangeVerdict::whole:
      return {200, content, {}, {}};
    case RangeVerdict::unsatisfiable:
      return {416, "", {{"Content-Range", content_range_of_none(content.size())}}, {}};
    case RangeVerdict::partial:
      break;
  }
  if (set.ranges().size() == 1) {
    const ByteRange only = set.ranges()[0];
    return {206,
            content.substr(only.first, only.size()),
            {{"Content-Range", content_range(only, content.size())}},
            {}};
  }
  const MultipartRanges parts(set, content.size(), "text/plain", "boundary");
  std::string body;
  for (std::size_t i = 0; i < set.ranges().size(); ++i) {
    body += parts.head(i) + content.substr(set.ranges()[i].first, set.ranges()[i].size());
  }
  body += parts.tail();
  if (body.size() != parts.content_length()) throw std::logic_error("the length was computed");
  return {206, body, {{"Content-Type", parts.content_type()}}, {}};
}

void FakeServer::respond(const Answer& answer) {
  const auto status = static_cast<unsigned>(answer.status);
  const auto length =
      answer.body ? std::optional<std::uint64_t>(answer.body->size()) : std::nullopt;
  const ResponseFraming framing = session_.begin_response(status, length);
  std::array<char, 1024> memory;
  ResponseHead head(memory);
  head.status(status);
  for (const auto& [name, value] : answer.fields) head.field(name, value);
  head.framing(framing);
  if (!head.finish()) throw std::logic_error("the head of a response fits");
  output_ += head.text();
  statuses_.push_back(answer.status);
  switch (framing.body) {
    case ResponseFraming::Body::none:
      break;
    case ResponseFraming::Body::length:
      output_ += *answer.body;
      break;
    case ResponseFraming::Body::until_close:
      output_ += answer.streamed;
      break;
    case ResponseFraming::Body::chunked:
      output_ += ChunkHead(answer.streamed.size()).text();
      output_ += answer.streamed;
      output_ += chunk_end;
      output_ += last_chunk;
      break;
  }
  if (!session_.end_response(start)) is_closed_ = true;
}

}  // namespace weft::http
