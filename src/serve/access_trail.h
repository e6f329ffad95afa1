// SPDX-License-Identifier: Apache-2.0
// AccessTrail: what is remembered of the requests of one connection, until the log can be told.
//
// A response is told when the kernel has its last byte, or when it is known that it never will:
// places in the stream of what is sent say when that is. So all drivers are logged alike.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "http/pace.h"
#include "http/request_head.h"
#include "serve/access_log.h"

namespace weft::serve {

class AccessTrail {
 public:
  AccessTrail(AccessLog& log, std::string_view peer, bool is_encrypted)
      : log_(log), peer_(peer), is_encrypted_(is_encrypted) {}
  // What has not gone out is cut.
  ~AccessTrail() { cut(); }
  AccessTrail(const AccessTrail&) = delete;
  AccessTrail& operator=(const AccessTrail&) = delete;

  void request_begins(http::TimePoint now) noexcept;
  void request_ends(http::TimePoint now) noexcept { ended_ = now; }
  // Not said of what is answered at once.
  void handler_starts() noexcept;

  // Its body begins at that place, and everything before is its head, or others'.
  void response_begins(const http::RequestHead& head, unsigned status, std::uint64_t body_at);
  // All that is known of a request that is refused is the beginning of its line.
  void refusal_begins(std::string_view request_line, unsigned status, std::uint64_t body_at);
  void response_ends(std::uint64_t at) noexcept { pending_.back().ends_at = at; }

  // The kernel has everything up to there.
  void sent(std::uint64_t up_to) noexcept;
  void cut() noexcept;
  // Gives back the memory that an idle connection has no use for.
  void rest() noexcept {
    if (pending_.empty()) std::vector<Pending>().swap(pending_);
  }

 private:
  struct Pending {
    std::string text;  // request line, referer and user agent
    std::size_t line_bytes = 0, referer_bytes = 0;
    http::TimePoint began;
    std::chrono::nanoseconds waited{0}, handled{0};
    std::uint64_t body_at = 0;
    std::uint64_t ends_at = UINT64_MAX;  // not known yet
    unsigned status = 0;
    bool is_at_once = false;
  };

  Pending& add(unsigned status, std::uint64_t body_at);
  void tell(const Pending& pending, bool is_cut) noexcept;

  AccessLog& log_;
  const std::string peer_;
  const bool is_encrypted_;
  std::vector<Pending> pending_;
  std::uint64_t sent_ = 0;
  http::TimePoint began_, ended_, started_;  // of the request under way
  bool has_started_ = false;
};

}  // namespace weft::serve
