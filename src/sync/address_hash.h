// SPDX-License-Identifier: Apache-2.0
// Which of a table's buckets belongs to an address.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft::sync {

inline constexpr std::size_t buckets = 256;

// Buckets stand on lines of the cache of their own.
inline constexpr std::size_t bucket_alignment = 64;

// Fibonacci hashing: the upper bits of the product depend on all bits of the address.
inline std::size_t bucket_of(const void* address) noexcept {
  static_assert(buckets == 1U << 8U);
  return reinterpret_cast<std::uintptr_t>(address) * 0x9E3779B97F4A7C15U >> (64U - 8U);
}

}  // namespace weft::sync
