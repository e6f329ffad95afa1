// SPDX-License-Identifier: Apache-2.0
// Traces that go on, and those that begin here.
#include <weft/trace.h>

#include <sys/random.h>

#include <algorithm>
#include <span>

#include "os/check.h"

namespace weft {
namespace {

constexpr std::size_t longest_correlation_id = 128;

// The kernel's: two processes that are forked from one must not have the same.
void fill_randomly(std::span<std::uint8_t> bytes) {
  // So few bytes are given as a whole, or, before the kernel has any, waited for.
  const auto given = ::getrandom(bytes.data(), bytes.size(), 0);
  os::check(given == static_cast<ssize_t>(bytes.size()), "the kernel gives no random bytes");
  bytes.back() |= 1U;  // all zeros are no name
}

bool is_of_correlation_id(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("-_.:/@+=").find(c) != std::string_view::npos;
}

}  // namespace

Trace continue_trace(std::string_view traceparent, std::string_view tracestate) {
  Trace trace;
  if (const auto received = parse_traceparent(traceparent)) {
    trace.parent = *received;
    trace.state = checked_tracestate(tracestate);
  } else {
    fill_randomly(trace.parent.trace);
  }
  fill_randomly(trace.parent.span);
  return trace;
}

bool is_correlation_id(std::string_view text) noexcept {
  return !text.empty() && text.size() <= longest_correlation_id &&
         std::ranges::all_of(text, is_of_correlation_id);
}

std::string correlation_of(std::string_view received, const Trace& trace) {
  if (is_correlation_id(received)) return std::string(received);
  constexpr std::size_t begin = 3;  // behind "00-"
  return to_text(trace.parent).substr(begin, 2 * trace.parent.trace.size());
}

std::string_view correlation() noexcept {
  const std::string* const id = current_correlation.get();
  return id == nullptr ? std::string_view() : std::string_view(*id);
}

}  // namespace weft
