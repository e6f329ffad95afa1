// SPDX-License-Identifier: Apache-2.0
// The values that cgroup files hold: quotas, limits and counters.
#include "budget/cgroup_values.h"

#include <algorithm>
#include <limits>

#include "base/text.h"

namespace weft::budget {
namespace {

constexpr double unlimited_bytes = 4611686018427387904.0;  // 2^62

base::Error problem(std::string_view text, std::string_view what) {
  return {"\"" + base::printable(base::trim(text), 40) + "\" " + std::string(what)};
}

base::Result<Limit> quotient(std::uint64_t quota, std::uint64_t period, std::string_view text) {
  if (period == 0) return problem(text, "has a period of 0");
  if (quota == 0) return problem(text, "has a quota of 0");
  return Limit(static_cast<double>(quota) / static_cast<double>(period));
}

// A counter as a signed duration; the kernel's are unsigned, and a strange file may hold anything.
template <class Duration>
Duration to_duration(std::uint64_t count) {
  constexpr auto most = std::numeric_limits<std::int64_t>::max() / 1000;
  return Duration(static_cast<std::int64_t>(std::min<std::uint64_t>(count, most)));
}

}  // namespace

base::Result<Limit> parse_cpu_max(std::string_view text) {
  std::string_view rest = text;
  const std::string_view quota = base::take_field(rest);
  const std::string_view period = base::take_field(rest);
  if (!base::take_field(rest).empty()) return problem(text, "has more than two fields");
  if (quota == "max") return Limit();
  const auto quota_number = base::to_number<std::uint64_t>(quota);
  const auto period_number = base::to_number<std::uint64_t>(period);
  if (!quota_number || !period_number) return problem(text, "is not QUOTA PERIOD");
  return quotient(*quota_number, *period_number, text);
}

base::Result<Limit> parse_cfs_quota(std::string_view quota_text, std::string_view period_text) {
  const auto quota = base::to_number<std::int64_t>(base::trim(quota_text));
  if (!quota) return problem(quota_text, "is not a quota in microseconds");
  if (*quota < 0) return Limit();
  const auto period = base::to_number<std::int64_t>(base::trim(period_text));
  if (!period || *period < 0) return problem(period_text, "is not a period in microseconds");
  return quotient(static_cast<std::uint64_t>(*quota), static_cast<std::uint64_t>(*period),
                  std::string(base::trim(quota_text)) + " " + std::string(base::trim(period_text)));
}

base::Result<Limit> parse_memory_limit(std::string_view text) {
  const std::string_view number = base::trim(text);
  if (number == "max" || number == "-1") return Limit();
  const auto bytes = base::to_number<std::uint64_t>(number);
  if (!bytes) return problem(text, "is not a number of bytes");
  const auto value = static_cast<double>(*bytes);
  return value >= unlimited_bytes ? Limit() : Limit(value);
}

std::optional<std::uint64_t> find_counter(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    std::string_view line = base::take_until(text, '\n');
    std::string_view name = base::take_field(line);
    if (name.ends_with(':')) name.remove_suffix(1);
    if (name == key) return base::to_number<std::uint64_t>(base::take_field(line));
  }
  return std::nullopt;
}

std::optional<Throttling> parse_cpu_stat(std::string_view text) {
  const auto periods = find_counter(text, "nr_periods");
  if (!periods) return std::nullopt;
  // v2 counts microseconds under one name, v1 nanoseconds under another.
  const auto time = [&](std::string_view microseconds_key, std::string_view nanoseconds_key) {
    if (const auto count = find_counter(text, microseconds_key)) {
      return std::chrono::nanoseconds(to_duration<std::chrono::microseconds>(*count));
    }
    return to_duration<std::chrono::nanoseconds>(find_counter(text, nanoseconds_key).value_or(0));
  };
  Throttling throttling;
  throttling.periods = *periods;
  throttling.throttled_periods = find_counter(text, "nr_throttled").value_or(0);
  throttling.throttled = time("throttled_usec", "throttled_time");
  throttling.bursts = find_counter(text, "nr_bursts").value_or(0);
  throttling.burst = time("burst_usec", "burst_time");
  return throttling;
}

base::Result<std::chrono::microseconds> parse_burst(std::string_view text) {
  const auto microseconds = base::to_number<std::uint64_t>(base::trim(text));
  if (!microseconds) return problem(text, "is not a burst in microseconds");
  return to_duration<std::chrono::microseconds>(*microseconds);
}

}  // namespace weft::budget
