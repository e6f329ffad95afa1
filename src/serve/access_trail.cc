// SPDX-License-Identifier: Apache-2.0
// From places in a stream to lines of a log.
#include "serve/access_trail.h"

#include <algorithm>

namespace weft::serve {
namespace {

using std::chrono::steady_clock;
using std::chrono::system_clock;

}  // namespace

void AccessTrail::request_begins(http::TimePoint now) noexcept {
  began_ = ended_ = now;
  has_started_ = false;
}

void AccessTrail::handler_starts() noexcept {
  started_ = steady_clock::now();
  has_started_ = true;
}

AccessTrail::Pending& AccessTrail::add(unsigned status, std::uint64_t body_at) {
  Pending& pending = pending_.emplace_back();
  pending.began = began_;
  pending.status = status;
  pending.body_at = body_at;
  pending.is_at_once = !has_started_;
  const http::TimePoint now = steady_clock::now();
  pending.waited = has_started_ ? started_ - ended_ : std::chrono::nanoseconds{0};
  pending.handled = now - (has_started_ ? started_ : ended_);
  has_started_ = false;
  return pending;
}

void AccessTrail::response_begins(const http::RequestHead& head, unsigned status,
                                  std::uint64_t body_at) {
  Pending& pending = add(status, body_at);
  const std::string_view version = head.version() == http::Version::http_1_0 ? " HTTP/1.0"  //
                                                                             : " HTTP/1.1";
  const std::string_view referer = head.find("referer").value_or("");
  const std::string_view agent = head.find("user-agent").value_or("");
  std::string& text = pending.text;
  text.reserve(head.method_text().size() + 1 + head.target().size() + version.size() +
               referer.size() + agent.size());
  text.append(head.method_text()).append(" ").append(head.target()).append(version);
  pending.line_bytes = text.size();
  pending.referer_bytes = referer.size();
  text.append(referer).append(agent);
}

void AccessTrail::refusal_begins(std::string_view request_line, unsigned status,
                                 std::uint64_t body_at) {
  Pending& pending = add(status, body_at);
  pending.text = request_line;
  pending.line_bytes = request_line.size();
}

void AccessTrail::sent(std::uint64_t up_to) noexcept {
  sent_ = up_to;
  auto first = pending_.begin();
  while (first != pending_.end() && first->ends_at <= up_to) tell(*first++, false);
  pending_.erase(pending_.begin(), first);
}

void AccessTrail::cut() noexcept {
  for (const Pending& pending : pending_) tell(pending, true);
  pending_.clear();
}

void AccessTrail::tell(const Pending& pending, bool is_cut) noexcept {
  const std::string_view text = pending.text;
  const std::string_view fields = text.substr(pending.line_bytes);
  const auto duration = steady_clock::now() - pending.began;
  const std::uint64_t up_to = std::min(sent_, pending.ends_at);
  log_.write({.peer = peer_,
              .request_line = text.substr(0, pending.line_bytes),
              .referer = fields.substr(0, pending.referer_bytes),
              .user_agent = fields.substr(pending.referer_bytes),
              .began = system_clock::now() - duration,
              .status = pending.status,
              .body_bytes = up_to - std::min(up_to, pending.body_at),
              .duration = duration,
              .waited = pending.waited,
              .handled = pending.handled,
              .is_encrypted = is_encrypted_,
              .is_at_once = pending.is_at_once,
              .is_cut = is_cut});
}

}  // namespace weft::serve
