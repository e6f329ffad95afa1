// SPDX-License-Identifier: Apache-2.0
// What each status is called (RFC 9110 15).
#pragma once

#include <string_view>

namespace weft::http {

// "Unknown" for what has no name here.
std::string_view status_text(unsigned status) noexcept;

}  // namespace weft::http
