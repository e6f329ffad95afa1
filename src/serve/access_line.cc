// SPDX-License-Identifier: Apache-2.0
// Lines of an access log, and what keeps one line one line.
#include "serve/access_line.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <ctime>

namespace weft::serve {
namespace {

using std::chrono::system_clock;

constexpr std::string_view hex_digits = "0123456789abcdef";

bool is_printable(unsigned char byte) {
  return byte >= 0x20 && byte < 0x7f;
}

void append_hex(std::string& text, unsigned char byte) {
  text += hex_digits[byte >> 4];
  text += hex_digits[byte & 15];
}

// As Apache and nginx do: no byte of it ends the quotes, or the line.
void append_quoted(std::string& text, std::string_view bytes) {
  text += '"';
  for (const char byte : bytes.empty() ? std::string_view("-") : bytes) {
    if (byte == '"' || byte == '\\') {
      text += '\\';
      text += byte;
    } else if (is_printable(static_cast<unsigned char>(byte))) {
      text += byte;
    } else {
      text += "\\x";
      append_hex(text, static_cast<unsigned char>(byte));
    }
  }
  text += '"';
}

// How many bytes at the beginning are one character of UTF-8, as RFC 3629 has it; 0: none.
std::size_t character_bytes(std::string_view bytes) {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const unsigned char first = at(0);
  const std::size_t size = first < 0x80   ? 1
                           : first < 0xc2 ? 0
                           : first < 0xe0 ? 2
                           : first < 0xf0 ? 3
                           : first < 0xf5 ? 4
                                          : 0;
  if (size > bytes.size()) return 0;
  for (std::size_t i = 1; i < size; ++i) {
    if ((at(i) & 0xc0) != 0x80) return 0;
  }
  const bool is_overlong = (first == 0xe0 && at(1) < 0xa0) || (first == 0xf0 && at(1) < 0x90);
  const bool is_surrogate = first == 0xed && at(1) >= 0xa0;
  const bool is_too_large = first == 0xf4 && at(1) >= 0x90;
  return size > 1 && (is_overlong || is_surrogate || is_too_large) ? 0 : size;
}

void append_json_string(std::string& text, std::string_view bytes) {
  text += '"';
  while (!bytes.empty()) {
    const std::size_t size = character_bytes(bytes);
    const char first = bytes.front();
    if (size == 0) {
      text += "\\ufffd";
    } else if (first == '"' || first == '\\') {
      text += '\\';
      text += first;
    } else if (size == 1 && !is_printable(static_cast<unsigned char>(first))) {
      text += "\\u00";
      append_hex(text, static_cast<unsigned char>(first));
    } else {
      text += bytes.substr(0, size);
    }
    bytes.remove_prefix(size == 0 ? 1 : size);
  }
  text += '"';
}

void append_number(std::string& text, std::uint64_t number) {
  std::array<char, 24> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  text.append(digits.data(), end);
}

// With zeros before it, from the digit of that unit on.
void append_digits(std::string& text, std::uint64_t number, std::uint64_t unit) {
  for (; unit != 0; unit /= 10) {
    text += static_cast<char>('0' + number / unit % 10);
  }
}

void append_seconds(std::string& text, std::chrono::nanoseconds time) {
  const auto microseconds =
      static_cast<std::uint64_t>(std::max<std::int64_t>(0, time.count() / 1000));
  append_number(text, microseconds / 1'000'000);
  text += '.';
  append_digits(text, microseconds, 100'000);
}

// A second as both formats write it, in the zone of this machine.
struct Second {
  std::time_t time = -1;
  std::array<char, 32> combined{};  // 10/Oct/2000:13:55:36 -0700
  std::array<char, 24> json{};      // 2000-10-10T13:55:36
  std::array<char, 8> zone{};       // -07:00
};

// To find out about the zone takes time, and most lines are of the second of the one before.
const Second& second_of(std::time_t time) {
  thread_local Second second;
  if (second.time == time) return second;
  std::tm parts{};
  ::localtime_r(&time, &parts);
  constexpr const char* months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                    "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  // strftime() would name the month in the language of the user.
  char rest[24];
  std::strftime(rest, sizeof(rest), "%Y:%H:%M:%S %z", &parts);
  std::snprintf(second.combined.data(), second.combined.size(), "%02d/%s/%s", parts.tm_mday % 100,
                months[parts.tm_mon], rest);
  std::strftime(second.json.data(), second.json.size(), "%Y-%m-%dT%H:%M:%S", &parts);
  const long minutes = std::labs(parts.tm_gmtoff) / 60;
  std::snprintf(second.zone.data(), second.zone.size(), "%c%02ld:%02ld",
                parts.tm_gmtoff < 0 ? '-' : '+', minutes / 60 % 100, minutes % 60);
  second.time = time;
  return second;
}

void append_json_time(std::string& text, system_clock::time_point time) {
  const Second& second = second_of(system_clock::to_time_t(time));
  const auto part = std::chrono::duration_cast<std::chrono::milliseconds>(
      time - std::chrono::floor<std::chrono::seconds>(time));
  text.append("{\"time\":\"").append(second.json.data()).append(".");
  append_digits(text, static_cast<std::uint64_t>(part.count()), 100);
  text.append(second.zone.data()).append("\"");
}

void append_combined(std::string& text, const AccessRecord& record) {
  text.append(record.peer.empty() ? "-" : record.peer).append(" - - [");
  text.append(second_of(system_clock::to_time_t(record.began)).combined.data()).append("] ");
  append_quoted(text, record.request_line);
  text += ' ';
  append_digits(text, record.status, 100);
  text += ' ';
  append_number(text, record.body_bytes);
  text += ' ';
  append_quoted(text, record.referer);
  text += ' ';
  append_quoted(text, record.user_agent);
  text += ' ';
  append_seconds(text, record.duration);
  text += '\n';
}

void append_json(std::string& text, const AccessRecord& record) {
  const auto word = [](bool is) { return is ? "true" : "false"; };
  append_json_time(text, record.began);
  append_json_string(text.append(",\"peer\":"), record.peer);
  append_json_string(text.append(",\"request\":"), record.request_line);
  append_number(text.append(",\"status\":"), record.status);
  append_number(text.append(",\"body_bytes\":"), record.body_bytes);
  append_json_string(text.append(",\"referer\":"), record.referer);
  append_json_string(text.append(",\"user_agent\":"), record.user_agent);
  append_seconds(text.append(",\"duration_seconds\":"), record.duration);
  append_seconds(text.append(",\"wait_seconds\":"), record.waited);
  append_seconds(text.append(",\"handle_seconds\":"), record.handled);
  text.append(",\"tls\":").append(word(record.is_encrypted));
  text.append(",\"at_once\":").append(word(record.is_at_once));
  text.append(",\"cut\":").append(word(record.is_cut)).append("}\n");
}

}  // namespace

void append_line(std::string& text, AccessFormat format, const AccessRecord& record) {
  format == AccessFormat::json ? append_json(text, record) : append_combined(text, record);
}

void append_loss(std::string& text, AccessFormat format, std::uint64_t lines,
                 system_clock::time_point now) {
  if (format == AccessFormat::json) {
    append_json_time(text, now);
    append_number(text.append(",\"lines_lost\":"), lines);
    text += "}\n";
    return;
  }
  const std::string words = "weft: lines lost: " + std::to_string(lines);
  append_combined(text, {.user_agent = words, .began = now});
}

}  // namespace weft::serve
