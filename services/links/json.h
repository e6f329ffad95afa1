// SPDX-License-Identifier: Apache-2.0
// Links as JSON, and back. What is read is checked for its form; the rest is the rules' to say.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "failure.h"
#include "links.h"

namespace links {

inline constexpr std::size_t most_body_bytes = std::size_t{16} * 1024;

// {"url": "...", "key": "...", "expires_in_s": 60}; the last two may be missing, or null.
// Failures: too_large, malformed, invalid.
NewLink read_new_link(std::string_view text);

std::string to_json(const Link& link);
// "next" is what to ask for `after` this page; null: this is the last.
std::string to_json(std::span<const Link> page, bool is_last);
std::string to_json(Problem problem, const std::string& text);

// "2026-11-17T20:00:00.000Z".
std::string to_text(Instant time);

}  // namespace links
