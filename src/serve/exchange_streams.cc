// SPDX-License-Identifier: Apache-2.0
// Bodies that go by piece by piece.
#include <algorithm>
#include <cstddef>

#include "http/chunk_encoder.h"
#include "os/check.h"
#include "serve/exchange.h"

namespace weft::serve {
namespace {

// All that a response holds which nobody reads. Its size has four digits, so a full piece is where
// it belongs at once.
constexpr std::size_t piece_bytes = std::size_t{32} * 1024;
constexpr std::size_t chunk_head_bytes = 6;
static_assert(piece_bytes >= 0x1000 && piece_bytes <= 0xffff);

}  // namespace

std::optional<Step> Exchange::take_head(const Moment& moment) {
  is_body_whole_ = false;
  if (session_.has_body_ahead() && site_ != nullptr && site_->streams_body(*head_)) {
    session_.stream_body();
    asked_ = moment.now;
    if (trail_ != nullptr) trail_->request_ends(moment.now);
    return pause(Step::request, moment);
  }
  give_leave_to_send();
  return std::nullopt;
}

void Exchange::give_leave_to_send() {
  if (!session_.wants_continue()) return;
  output_ += http::Session::continue_line;
  session_.continue_sent();
}

// The rest of the body is not read, so this is the connection's last response.
Step Exchange::refuse_for_memory(const Moment& moment) {
  if (counters_ != nullptr) {
    counters_->overloaded.add();
    counters_->count(503);
  }
  Response response;
  set_overloaded(response, "too many large requests at once; try again soon",
                 memory_->retry_after());
  close_soon();
  respond(response, moment);
  return Step::close;
}

Step Exchange::pause(Step step, const Moment& moment) noexcept {
  paused_since_ = std::min(paused_since_, moment.now);
  return step;
}

void Exchange::resume(const Moment& moment) noexcept {
  if (paused_since_ < moment.now) session_.excuse(moment.now - paused_since_);
  paused_since_ = http::TimePoint::max();
}

bool Exchange::feed() {
  const bool wants_more = body_.empty() || sink_->take(body_.text());
  body_.clear(piece_bytes);
  return wants_more && !is_body_whole_;
}

// Precondition of advance()'s: no output is left.
bool Exchange::produce() {
  const std::size_t head_bytes = is_chunked_ ? chunk_head_bytes : 0;
  output_sent_ = 0;
  output_.resize(head_bytes + piece_bytes + http::chunk_end.size());
  const std::span<char> room(output_.data() + head_bytes, piece_bytes);
  const std::size_t size = source_->produce(room);
  os::check(size <= room.size(), "a source of a body has written more than there was room for");
  output_.resize(head_bytes + size);
  if (size == 0) {
    output_.clear();
    return false;
  }
  if (!is_chunked_) return true;
  const http::ChunkHead head(size);
  output_sent_ = head_bytes - head.text().size();
  std::copy(head.text().begin(), head.text().end(),
            output_.begin() + static_cast<std::ptrdiff_t>(output_sent_));
  output_ += http::chunk_end;
  return true;
}

void Exchange::end_body(const Moment& moment) {
  source_.reset();
  if (is_chunked_) output_ = http::last_chunk;
  end_response(moment);
}

}  // namespace weft::serve
