// SPDX-License-Identifier: Apache-2.0
// Dates as HTTP writes them.
#include "http/date.h"

#include <algorithm>
#include <chrono>

#include "base/text.h"
#include "http/characters.h"

namespace weft::http {
namespace {

using namespace std::chrono;

constexpr std::array<std::string_view, 7> days = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
constexpr std::array<std::string_view, 7> long_days = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                       "Thursday", "Friday", "Saturday"};
constexpr std::array<std::string_view, 12> months = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

int year_of(std::int64_t unix_seconds) {
  const sys_days date = floor<std::chrono::days>(sys_seconds(seconds(unix_seconds)));
  return static_cast<int>(year_month_day(date).year());
}

void put_digits(char* at, unsigned number, unsigned count) {
  for (unsigned i = count; i > 0; --i, number /= 10)
    at[i - 1] = static_cast<char>('0' + number % 10);
}

// Takes pieces off the front of a text; once one is not there, none is.
class Reader {
 public:
  explicit Reader(std::string_view rest) : rest_(rest) {}

  void take(std::string_view text) {
    if (!rest_.starts_with(text)) has_failed_ = true;
    if (!has_failed_) rest_.remove_prefix(text.size());
  }
  unsigned take_number(std::size_t digits) {
    const std::string_view text = rest_.substr(0, digits);
    if (text.size() < digits || !all_of(text, digit_class)) has_failed_ = true;
    if (has_failed_) return 0;
    rest_.remove_prefix(digits);
    return base::to_number<unsigned>(text).value_or(0);
  }
  template <std::size_t size>
  unsigned take_name(const std::array<std::string_view, size>& names) {
    const auto found = std::find_if(names.begin(), names.end(),
                                    [&](auto name) { return rest_.starts_with(name); });
    if (found == names.end()) has_failed_ = true;
    if (has_failed_) return 0;
    rest_.remove_prefix(found->size());
    return static_cast<unsigned>(found - names.begin());
  }
  // A day of the month as asctime() writes it: " 6" or "16".
  unsigned take_padded_day() {
    if (!rest_.starts_with(' ')) return take_number(2);
    take(" ");
    return take_number(1);
  }
  bool is_done() const { return !has_failed_ && rest_.empty(); }

 private:
  std::string_view rest_;
  bool has_failed_ = false;
};

struct Fields {
  int year = 0;
  unsigned month = 0, day = 0, hour = 0, minute = 0, second = 0;
};

void take_time(Reader& reader, Fields& fields) {
  fields.hour = reader.take_number(2);
  reader.take(":");
  fields.minute = reader.take_number(2);
  reader.take(":");
  fields.second = reader.take_number(2);
}

// The day of the week is not compared with the date: nobody is misled by it.
std::optional<Fields> read_fixed(std::string_view text) {
  Reader reader(text);
  Fields fields;
  reader.take_name(days);
  reader.take(", ");
  fields.day = reader.take_number(2);
  reader.take(" ");
  fields.month = reader.take_name(months) + 1;
  reader.take(" ");
  fields.year = static_cast<int>(reader.take_number(4));
  reader.take(" ");
  take_time(reader, fields);
  reader.take(" GMT");
  return reader.is_done() ? std::optional(fields) : std::nullopt;
}

std::optional<Fields> read_rfc850(std::string_view text, int this_year) {
  Reader reader(text);
  Fields fields;
  reader.take_name(long_days);
  reader.take(", ");
  fields.day = reader.take_number(2);
  reader.take("-");
  fields.month = reader.take_name(months) + 1;
  reader.take("-");
  const auto two_digits = static_cast<int>(reader.take_number(2));
  const int latest = this_year + 50;
  fields.year = latest - ((latest - two_digits) % 100 + 100) % 100;
  reader.take(" ");
  take_time(reader, fields);
  reader.take(" GMT");
  return reader.is_done() ? std::optional(fields) : std::nullopt;
}

std::optional<Fields> read_asctime(std::string_view text) {
  Reader reader(text);
  Fields fields;
  reader.take_name(days);
  reader.take(" ");
  fields.month = reader.take_name(months) + 1;
  reader.take(" ");
  fields.day = reader.take_padded_day();
  reader.take(" ");
  take_time(reader, fields);
  reader.take(" ");
  fields.year = static_cast<int>(reader.take_number(4));
  return reader.is_done() ? std::optional(fields) : std::nullopt;
}

}  // namespace

DateText::DateText(std::int64_t unix_seconds) noexcept {
  const sys_seconds time{seconds(unix_seconds)};
  const sys_days date = floor<std::chrono::days>(time);
  const year_month_day calendar(date);
  const auto second_of_day = static_cast<unsigned>((time - date).count());
  const std::string_view form = "Sun, 06 Nov 1994 08:49:37 GMT";
  std::copy(form.begin(), form.end(), bytes_.begin());
  const std::string_view day = days[weekday(date).c_encoding()];
  const std::string_view month = months[static_cast<unsigned>(calendar.month()) - 1];
  std::copy(day.begin(), day.end(), bytes_.begin());
  put_digits(&bytes_[5], static_cast<unsigned>(calendar.day()), 2);
  std::copy(month.begin(), month.end(), bytes_.begin() + 8);
  put_digits(&bytes_[12], static_cast<unsigned>(static_cast<int>(calendar.year())), 4);
  put_digits(&bytes_[17], second_of_day / 3600, 2);
  put_digits(&bytes_[20], second_of_day / 60 % 60, 2);
  put_digits(&bytes_[23], second_of_day % 60, 2);
}

std::optional<std::int64_t> parse_date(std::string_view text,
                                       std::int64_t now_unix_seconds) noexcept {
  std::optional<Fields> fields = read_fixed(text);
  if (!fields) fields = read_rfc850(text, year_of(now_unix_seconds));
  if (!fields) fields = read_asctime(text);
  if (!fields) return std::nullopt;
  const year_month_day date{year(fields->year), month(fields->month), day(fields->day)};
  // A leap second is a date; it counts as the second before it.
  if (!date.ok() || fields->hour > 23 || fields->minute > 59 || fields->second > 60) {
    return std::nullopt;
  }
  const unsigned second_of_day =
      fields->hour * 3600 + fields->minute * 60 + std::min(fields->second, 59U);
  return sys_seconds(sys_days(date)).time_since_epoch().count() + second_of_day;
}

}  // namespace weft::http
