// SPDX-License-Identifier: Apache-2.0
// Dates as HTTP writes them (RFC 9110 5.6.7), in seconds since 1970.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace weft::http {

// "Sun, 06 Nov 1994 08:49:37 GMT".
class DateText {
 public:
  // Precondition: the year has four digits.
  explicit DateText(std::int64_t unix_seconds) noexcept;
  std::string_view text() const noexcept { return {bytes_.data(), bytes_.size()}; }

 private:
  std::array<char, 29> bytes_;
};

// The text of the current second, written once in it. For one thread.
class DateCache {
 public:
  std::string_view text(std::int64_t unix_seconds) noexcept {
    if (unix_seconds != unix_seconds_) {
      unix_seconds_ = unix_seconds;
      date_ = DateText(unix_seconds);
    }
    return date_.text();
  }

 private:
  std::int64_t unix_seconds_ = 0;
  DateText date_{0};
};

// Reads all three forms, those of RFC 850 and asctime() too; nothing for what is no date. The two
// digits of a year in RFC 850 are the last such year that is at most 50 years ahead of `now`.
std::optional<std::int64_t> parse_date(std::string_view text,
                                       std::int64_t now_unix_seconds) noexcept;

}  // namespace weft::http
