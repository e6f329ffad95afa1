// SPDX-License-Identifier: Apache-2.0
// Bytes to requests, and responses to bytes.
#include "serve/exchange.h"

#include <algorithm>

#include "http/response_head.h"
#include "os/check.h"

namespace weft::serve {
namespace {

using Kind = http::Event::Kind;

constexpr std::size_t least_room_bytes = 2048;
// What a sink is given at once, and all that is held of a streamed body.
constexpr std::size_t streamed_room_bytes = std::size_t{16} * 1024;
// More output than this goes out before the next request is answered: it may never be read.
constexpr std::size_t most_output_bytes = std::size_t{64} * 1024;
// A body, or an output, that was larger than this leaves no memory behind.
constexpr std::size_t most_kept_bytes = std::size_t{16} * 1024;
// Of a line that is no request's.
constexpr std::size_t most_logged_bytes = std::size_t{4} * 1024;
// The status line, and what is written into every head.
constexpr std::size_t own_head_bytes = 256;

// To assign an empty one keeps the memory.
void release(std::string& text) noexcept {
  std::string().swap(text);
}

void clear(std::string& text) noexcept {
  text.clear();
  if (text.capacity() > most_kept_bytes) release(text);
}

}  // namespace

std::span<char> Exchange::room() {
  const std::span<char> room =
      input_.room(sink_ != nullptr ? streamed_room_bytes : least_room_bytes);
  if (!input_.kept().empty()) head_->attach(input_.kept().data());
  return room;
}

void Exchange::end_of_input(const Moment& moment) {
  take(session_.end_of_input(), moment);
}

void Exchange::expire(const Moment& moment) {
  take(session_.expire(moment.now), moment);
}

Step Exchange::advance(const Moment& moment) {
  for (;;) {
    if (closes_) return Step::close;
    if (source_ != nullptr) return has_output() ? Step::write : Step::work;
    if (sink_ != nullptr && is_body_whole_) return Step::work;
    if (file_.bytes != 0 || output_.size() - output_sent_ > most_output_bytes) {
      return pause(Step::write, moment);
    }
    if (sink_ == nullptr) resume(moment);
    if (head_ == nullptr) {
      if (input_.unread().empty()) return Step::read;
      head_ = std::make_unique<http::RequestHead>();
    }
    if (trail_ != nullptr && session_.is_idle()) trail_->request_begins(moment.now);
    const http::Event event = session_.next(input_.unread(), *head_, moment.now);
    if (const auto step = take(event, moment)) return *step;
  }
}

std::optional<Step> Exchange::take(const http::Event& event, const Moment& moment) {
  switch (event.kind) {
    case Kind::need_input:
      return sink_ != nullptr && !body_.empty() ? pause(Step::work, moment) : Step::read;
    case Kind::skipped:
      break;
    case Kind::head:
      input_.keep(event.consumed);
      return take_head(moment);
    case Kind::body:
      if (body_.append(event.body)) break;
      input_.consume(event.consumed);
      return refuse_for_memory(moment);
    case Kind::complete:
      input_.consume(event.consumed);
      if (trail_ != nullptr) trail_->request_ends(moment.now);
      is_body_whole_ = true;
      asked_ = moment.now;
      return sink_ != nullptr ? Step::work : Step::request;
    case Kind::response_pending:
      return std::nullopt;  // the peer has ended, and is still answered
    case Kind::refuse: {
      const std::uint64_t begins_at = end_of_output();
      output_ += http::refusal_response(event.refusal, moment.date);
      if (counters_ != nullptr) counters_->count(event.refusal.status);
      log_refusal(event.refusal.status, begins_at);
      [[fallthrough]];
    }
    case Kind::close:
      sink_.reset();
      closes_ = true;
      return Step::close;
  }
  input_.consume(event.consumed);
  return std::nullopt;
}

void Exchange::log_refusal(unsigned status, std::uint64_t begins_at) {
  if (trail_ == nullptr) return;
  const std::uint64_t ends_at = end_of_output();
  const std::size_t all = static_cast<std::size_t>(ends_at - begins_at);
  const std::string_view said = std::string_view(output_).substr(output_.size() - all);
  const std::uint64_t body_at = begins_at + std::min(all, said.find("\r\n\r\n") + 4);
  if (!input_.kept().empty()) {
    trail_->response_begins(*head_, status, body_at);
  } else {
    const std::string_view input = input_.unread().substr(0, most_logged_bytes);
    trail_->refusal_begins(input.substr(0, input.find_first_of("\r\n")), status, body_at);
  }
  trail_->response_ends(ends_at);
}

void Exchange::respond(const Response& response, const Moment& moment) {
  sink_ = response.sink();
  if (sink_ != nullptr) {
    give_leave_to_send();
    return resume(moment);
  }
  // A 304 speaks of what it does not send, and says nothing of its length.
  const bool has_length =
      response.source() == nullptr && (response.status() != 304 || response.body_bytes() != 0);
  const http::ResponseFraming framing = session_.begin_response(
      response.status(), has_length ? std::optional(response.body_bytes()) : std::nullopt);
  append_head(response, framing, moment.date);
  if (trail_ != nullptr) trail_->response_begins(*head_, response.status(), end_of_output());
  is_chunked_ = framing.body == http::ResponseFraming::Body::chunked;
  is_delimited_by_close_ = framing.body == http::ResponseFraming::Body::until_close;
  if (response.source() != nullptr && (is_chunked_ || is_delimited_by_close_)) {
    source_ = response.source();
    return;
  }
  // The session may know of less: a 205 has no body, whatever the handler says.
  const bool goes_out = framing.body == http::ResponseFraming::Body::length &&
                        framing.content_length.value_or(0) != 0;
  if (goes_out && response.file().file != nullptr) {
    file_ = response.file();
  } else if (goes_out) {
    output_ += response.body();
  }
  end_response(moment);
}

void Exchange::end_response(const Moment& moment) {
  if (trail_ != nullptr) {
    trail_->response_ends(end_of_output());
    trail_->sent(sent_bytes_);  // a streamed body may all be out by then
  }
  resume(moment);
  input_.drop_kept();
  body_.clear(most_kept_bytes);
  if (!session_.end_response(moment.now)) closes_ = true;
}

void Exchange::append_head(const Response& response, const http::ResponseFraming& framing,
                           std::string_view date) {
  if (output_sent_ == output_.size()) {
    clear(output_);
    output_sent_ = 0;
  } else if (output_sent_ > most_output_bytes) {
    output_.erase(0, output_sent_);
    output_sent_ = 0;
  }
  const std::size_t before = output_.size();
  output_.resize(before + own_head_bytes + 2 * response.field_bytes());
  http::ResponseHead head({output_.data() + before, output_.size() - before});
  head.status(response.status());
  head.own_field("Date: ", date);
  head.own_line("Server: weft\r\n");
  response.for_each_field(
      [&](std::string_view name, std::string_view value) { head.field(name, value); });
  head.framing(framing);
  os::check(head.finish(), "a response's head has no room, or a field that was not checked");
  output_.resize(before + head.text().size());
}

void Exchange::file_sent(std::size_t bytes) noexcept {
  sent_bytes_ += bytes;
  if (trail_ != nullptr) trail_->sent(sent_bytes_);
  file_.offset += bytes;
  file_.bytes -= bytes;
  if (file_.bytes == 0) file_.file.reset();
}

void Exchange::give_up() noexcept {
  if (trail_ != nullptr) trail_->cut();
  is_cut_ |= source_ != nullptr;
  source_.reset();
  sink_.reset();
  output_.clear();
  output_sent_ = 0;
  file_ = {};
  closes_ = true;
}

void Exchange::rest() noexcept {
  if (!is_idle() || !input_.release()) return;
  head_.reset();
  body_.release();
  release(output_);
  if (trail_ != nullptr) trail_->rest();
  output_sent_ = 0;
}

}  // namespace weft::serve
