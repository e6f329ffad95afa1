// SPDX-License-Identifier: Apache-2.0
// Texts in headers: percent signs for grpc-message, base64 for metadata whose names end in -bin,
// and what a header may be.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace weft::wire {

// Of a grpc-message: what is not printable ASCII, and the percent sign, as %XX. What would be
// longer than this is cut off, between two of these.
std::string percent_encoded(std::string_view text,
                            std::size_t most_bytes = std::numeric_limits<std::size_t>::max());

// Without the signs that fill it up, as the protocol prefers.
std::string base64_of(std::string_view bytes);
// With them, or without. None: it is no base64.
std::optional<std::string> bytes_of_base64(std::string_view text);

// The name says that the value is bytes, in base64.
bool is_binary(std::string_view name) noexcept;

// application/grpc, application/grpc+proto, application/grpc;parameters; and nothing else that
// begins so.
bool is_grpc_content_type(std::string_view value) noexcept;

// Of a header that we send: lower case, as HTTP/2 wants it, and none of the protocol's own.
bool is_name_of_metadata(std::string_view name) noexcept;
// Printable ASCII, and neither begins nor ends with a space.
bool is_value_of_metadata(std::string_view value) noexcept;

}  // namespace weft::wire
