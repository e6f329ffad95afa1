// SPDX-License-Identifier: Apache-2.0
// Refusal: why a request is not served, as a status and a constant text.
#pragma once

#include <cstdint>
#include <string_view>

namespace weft::http {

// After a refusal the connection closes: what follows on it can no longer be told apart.
struct Refusal {
  std::uint16_t status = 0;  // 400, 408, 413, 414, 417, 431, 501, 505
  std::string_view reason;   // constant, never a piece of the request
};

}  // namespace weft::http
