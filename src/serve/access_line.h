// SPDX-License-Identifier: Apache-2.0
// What an access log says of a request, as a line of text. No files, no threads.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace weft::serve {

enum class AccessFormat : unsigned char {
  combined,  // that of Apache and nginx, and the duration behind it
  json,      // an object for each line
};

struct AccessRecord {
  std::string_view peer{}, request_line{}, referer{}, user_agent{};  // as they came; or none
  std::chrono::system_clock::time_point began{};  // the first byte of the request
  unsigned status = 0;
  std::uint64_t body_bytes = 0;  // that the kernel took
  // From the first byte of the request, to the last one of the response that the kernel took.
  std::chrono::nanoseconds duration{0};
  std::chrono::nanoseconds waited{0};   // from the last byte of the request to the handler's start
  std::chrono::nanoseconds handled{0};  // from there to what the handler said
  bool is_encrypted = false;
  bool is_at_once = false;  // no worker was needed
  bool is_cut = false;      // the connection ended before the response did
};

// Appends a line, with its end. Whatever bytes the peer sent, it is one line, and in JSON it is
// UTF-8: bytes that are not stand there as U+FFFD, and in the combined form as \xHH.
void append_line(std::string& text, AccessFormat format, const AccessRecord& record);
// Says, in a line that readers of the format can parse, that so many are missing before it.
void append_loss(std::string& text, AccessFormat format, std::uint64_t lines,
                 std::chrono::system_clock::time_point now);

}  // namespace weft::serve
