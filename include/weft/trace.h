// SPDX-License-Identifier: Apache-2.0
// Which request is this, and which of whose: the correlation id of log lines, and W3C Trace Context
// (traceparent, tracestate) in and out.
//
//   const weft::Trace trace = weft::continue_trace(received_traceparent, received_tracestate);
//   const auto guard = weft::current_trace.set(trace);
//   request.add_field("traceparent", weft::to_text(trace.parent));   // of what is asked of others
//
// What clients send is not believed before it was looked at: what is malformed is left out, and a
// trace of our own begins.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <weft/context.h>

namespace weft {

struct TraceParent {
  std::array<std::uint8_t, 16> trace{};  // of all that follows from one request
  std::array<std::uint8_t, 8> span{};    // of whoever asks: ours, in what we send
  std::uint8_t flags = 0;
  bool is_sampled() const noexcept { return (flags & 1U) != 0; }
  bool operator==(const TraceParent&) const = default;
};

// None: malformed, of a version that is none, or all zeros. What newer versions add is passed over.
std::optional<TraceParent> parse_traceparent(std::string_view text) noexcept;
// As version 00 has it: 55 characters.
std::string to_text(const TraceParent& parent);

// The members of a tracestate (of all its fields, joined by commas) in one line, newest first.
// Empty: there is none, or it is malformed (more than 32 members, one twice) and must not go on.
std::string checked_tracestate(std::string_view text);

struct Trace {
  TraceParent parent;
  std::string state;
};

// The received trace with a span of our own; a new trace where none, or no valid one, was received.
Trace continue_trace(std::string_view traceparent, std::string_view tracestate = {});

inline constexpr Ambient<Trace> current_trace("trace");
inline constexpr Ambient<std::string> current_correlation("correlation id");

// Whether it may stand in a log line and in a field: 1 to 128 letters, digits and "-_.:/@+=".
bool is_correlation_id(std::string_view text) noexcept;
// What the client calls its request, if that is one; otherwise the trace's name.
std::string correlation_of(std::string_view received, const Trace& trace);
// The correlation id of here; empty: there is none.
std::string_view correlation() noexcept;

}  // namespace weft
