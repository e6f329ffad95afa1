// SPDX-License-Identifier: Apache-2.0
// Fuzzed: a whole connection. The same bytes give the same events, however they are cut.
#include "http/session.h"

#include <string>

#include "http/input_buffer.h"
#include "http_pieces.h"
#include "property.h"

namespace weft::fuzz {
namespace {

using http::Event;
using http::TimePoint;
using Kind = http::Event::Kind;

http::SessionLimits small_limits() {
  http::SessionLimits limits;
  limits.request = {256, 512, 8};
  limits.chunks = {64, 256, 256, 4};
  limits.body_bytes = 1024;
  limits.drain_bytes = 64;
  return limits;
}

// A driver that writes down what happens. `choice` says how it answers.
class Driver {
 public:
  explicit Driver(unsigned choice) : choice_(choice) {}

  // Takes all that `input` holds by now; false: the connection is closed.
  bool receive(std::string_view input) {
    while (!is_closed_) {
      const std::string_view rest = input.substr(consumed_);
      // A copy for each step: whoever keeps a pointer into the last one is found out.
      const std::string copy(rest);
      if (is_in_use_) head_.attach(kept_.data());
      const Event event = session_.next(copy, head_, TimePoint{});
      require(event.consumed <= rest.size(), "no more is consumed than there is");
      consumed_ += event.consumed;
      if (event.kind == Kind::need_input) {
        require(event.consumed == 0, "who needs input consumes none");
        return true;
      }
      take(event, copy);
    }
    return false;
  }
  const std::string& log() const { return log_; }
  bool is_closed() const { return is_closed_; }

 private:
  void take(const Event& event, std::string_view input) {
    switch (event.kind) {
      case Kind::head:
        kept_ = input.substr(0, head_.size());
        head_.attach(kept_.data());
        is_in_use_ = true;
        log_ += "\nhead " + std::string(head_.target()) + ' ';
        if ((choice_ & 1U) != 0 && session_.wants_continue()) session_.continue_sent();
        if ((choice_ & 2U) != 0) respond();
        return;
      case Kind::body:
        require(!event.body.empty(), "a piece is something");
        require(is_in_use_, "a body has a head");
        log_ += event.body;
        return;
      case Kind::complete:
        log_ += "\ncomplete";
        require(session_.can_respond(), "a request is answered once");
        respond();
        return;
      case Kind::refuse:
        require(event.refusal.status >= 400, "a refusal has a status");
        log_ += "\nrefuse " + std::to_string(event.refusal.status);
        log_ += event.refusal.reason;
        is_closed_ = true;
        return;
      case Kind::close:
        log_ += "\nclose";
        is_closed_ = true;
        return;
      case Kind::response_pending:
        require(false, "everything is answered at once");
        return;
      case Kind::skipped:
      case Kind::need_input:
        return;
    }
  }

  void respond() {
    const unsigned statuses[] = {200, 204, 304, 500};
    const auto length = (choice_ & 4U) != 0 ? std::optional<std::uint64_t>(3) : std::nullopt;
    const auto framing = session_.begin_response(statuses[choice_ >> 3U & 3U], length);
    log_ += "\nresponse " + std::to_string(static_cast<int>(framing.body));
    const bool goes_on = session_.end_response(TimePoint{});
    require(goes_on != framing.says_close, "the client is told what happens");
    if (!goes_on) is_closed_ = true;
    is_in_use_ = is_in_use_ && !session_.is_idle();
  }

  const http::SessionLimits limits_ = small_limits();
  http::Session session_{limits_, TimePoint{}};
  http::RequestHead head_;
  std::string kept_;
  std::string log_;
  std::size_t consumed_ = 0;
  unsigned choice_;
  bool is_in_use_ = false;
  bool is_closed_ = false;
};

}  // namespace

void try_input(std::string_view text) {
  const Pieces pieces(text);
  Driver whole(pieces.choice());
  whole.receive(pieces.whole());
  Driver cut(pieces.choice());
  pieces.for_each_prefix([&](std::string_view prefix) { return cut.receive(prefix); });
  require(whole.log() == cut.log(), "the events are the same in pieces");
  require(whole.is_closed() == cut.is_closed(), "and so is the end");
}

}  // namespace weft::fuzz
