// SPDX-License-Identifier: Apache-2.0
// Texts that clients of links send: keys and URLs as they should be, and what means harm in their
// place.
#pragma once

#include <string>
#include <string_view>

#include "links/choices.h"

namespace weft::fuzz {

// Bytes that have hurt somebody: of SQL, of terminals, of lines, of UTF-8, of JSON, of paths.
std::string hostile_text(Choices& choices);
// Mostly one of a few, so that they meet again.
std::string key_text(Choices& choices);
std::string url_text(Choices& choices);
std::string idempotency_text(Choices& choices);
// The same text, or with a few bytes of it changed.
std::string changed(Choices& choices, std::string text);
// Values of traceparent, tracestate and x-request-id.
std::string trace_text(Choices& choices);

}  // namespace weft::fuzz
