// SPDX-License-Identifier: Apache-2.0
// Chunk extensions (RFC 9112 7.1.1): passed over, but only where they are well formed.
#pragma once

#include <cstddef>
#include <string_view>

#include "http/field_line.h"

namespace weft::http {

// Passes over `;name`, `;name=value` and `;name="quoted"`, any number of them, from `at` on, and
// leaves `at` at the byte behind them. White space outside quotes is refused, as is any control
// character: a lone LF in here was a way to smuggle requests.
Progress pass_chunk_extensions(std::string_view line, std::size_t& at) noexcept;

}  // namespace weft::http
