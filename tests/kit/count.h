// SPDX-License-Identifier: Apache-2.0
// How many: fewer in `make test`, all of them where an environment variable says so.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>

namespace weft::kit {

// Sanitizers make everything several times slower.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool is_sanitized = true;
#else
inline constexpr bool is_sanitized = false;
#endif

inline std::uint64_t number_of(const char* variable, std::uint64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? otherwise : std::stoull(text);
}

}  // namespace weft::kit
