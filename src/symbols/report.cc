// SPDX-License-Identifier: Apache-2.0
// Stuck calls in words.
#include "symbols/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace weft::symbols {

namespace {

using Entry = sched::StuckCalls::Entry;

// Code that stands between a program and the system calls that it makes: libc, what interposes it,
// and ourselves.
bool is_in_between(const Location& location) {
  constexpr std::string_view libraries[] = {"libc.so", "libc-",   "libpthread", "ld-linux",
                                            "libweft", "libasan", "libtsan"};
  const std::string name = file_name(location.module);
  return std::any_of(std::begin(libraries), std::end(libraries),
                     [&](std::string_view library) { return name.starts_with(library); });
}

std::string times(std::uint64_t count) {
  return count == 1 ? "once" : fmt::format("{} times", count);
}

std::string what(const Entry& entry) {
  if (entry.system_call == sched::StuckCalls::no_system_call) return "waiting for memory";
  const char* const name = sched::system_call_name(entry.system_call);
  return name == nullptr ? fmt::format("system call {}", entry.system_call)
                         : fmt::format("{}(2)", name);
}

}  // namespace

std::string describe(const Entry& entry, Symbolizer& symbolizer) {
  if (entry.program_counter == 0) {
    return fmt::format("running without a stop, {}\n", times(entry.count));
  }
  std::vector<Location> places;
  places.push_back(symbolizer.look_up_caller(entry.program_counter));
  for (std::uint32_t i = 0; i < entry.frame_count; ++i) {
    places.push_back(symbolizer.look_up_caller(entry.frames[i]));
  }
  const Location* caller = &places.front();
  for (const Location& place : places) {
    if (is_in_between(place)) continue;
    caller = &place;
    break;
  }
  std::string text =
      fmt::format("{} called from {}, {}\n", what(entry), describe(*caller), times(entry.count));
  for (const Location& place : places) text += fmt::format("  {}\n", describe(place));
  return text;
}

}  // namespace weft::symbols
