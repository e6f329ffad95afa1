// SPDX-License-Identifier: Apache-2.0
// The media type of a file, by the end of its name.
#pragma once

#include <string_view>

namespace weft::http {

// "text/html; charset=utf-8" for "a/index.html"; "application/octet-stream" for what is not known.
// The case of the end does not matter.
std::string_view media_type(std::string_view path) noexcept;

}  // namespace weft::http
