// SPDX-License-Identifier: Apache-2.0
// Conditional requests (RFC 9110 13): whether a request is to be carried out at all.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "http/request_head.h"

namespace weft::http {

// What is known of the thing that a request is about.
struct Validators {
  bool exists = true;
  std::string_view entity_tag;                // with its quotes; empty: it has none
  std::optional<std::int64_t> last_modified;  // in seconds since 1970
};

enum class Verdict : std::uint8_t { proceed, not_modified, precondition_failed };

// Looks at the preconditions in the order of RFC 9110 13.2.2: If-Match, or else
// If-Unmodified-Since; then If-None-Match, or else If-Modified-Since. A list of tags that is none
// matches nothing, and a date that is none is not there.
Verdict evaluate_preconditions(const RequestHead& head, const Validators& validators,
                               std::int64_t now_unix_seconds) noexcept;

// Whether a Range may be served (RFC 9110 13.1.5): there is no If-Range, or its tag is the same and
// both are strong, or its date is the same and more than a second ago.
bool range_applies(const RequestHead& head, const Validators& validators,
                   std::int64_t now_unix_seconds) noexcept;

}  // namespace weft::http
