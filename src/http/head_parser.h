// SPDX-License-Identifier: Apache-2.0
// HeadParser: how a RequestHead is filled; the inside of request_parser.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "http/request_parser.h"

namespace weft::http {

class HeadParser {
 public:
  HeadParser(std::string_view input, const RequestLimits& limits, RequestHead& head,
             Refusal& refusal) noexcept
      : input_(input), limits_(limits), head_(head), refusal_(refusal) {}

  Progress parse() noexcept;

 private:
  Progress fail(std::uint16_t status, std::string_view reason) noexcept {
    refusal_ = {status, reason};
    return Progress::failed;
  }
  RequestHead::Piece piece(std::string_view text) const noexcept {
    return {static_cast<std::uint32_t>(text.data() - input_.data()),
            static_cast<std::uint32_t>(text.size())};
  }

  // request_parser.cc
  Progress parse_request_line() noexcept;
  Progress parse_version(const char* at, const char* end) noexcept;
  Progress parse_fields() noexcept;
  bool add(const FieldLine& line) noexcept;

  // request_target.cc: each false with a refusal
  bool set_target(std::string_view target) noexcept;
  bool set_absolute(std::string_view target) noexcept;
  bool set_path_and_query(std::string_view text) noexcept;

  // request_rules.cc: what the fields mean together; each false with a refusal
  bool apply_rules() noexcept;
  bool apply_host() noexcept;
  bool apply_framing() noexcept;
  bool apply_transfer_encoding() noexcept;
  bool apply_content_length() noexcept;
  void apply_connection() noexcept;
  bool apply_expect() noexcept;

  std::string_view input_;
  const RequestLimits& limits_;
  RequestHead& head_;
  Refusal& refusal_;
};

// Whether a text is "host" or "host:port", as Host and a target may name it (RFC 9110 4.2 and 7.2,
// without what no host has: an empty name, user information, escapes).
enum class Port : std::uint8_t { optional, required };
bool is_authority(std::string_view text, Port port) noexcept;

}  // namespace weft::http
