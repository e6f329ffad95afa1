// SPDX-License-Identifier: Apache-2.0
// libc's allocator, told how many threads really run at once.
#pragma once

#include <cstdint>

namespace weft::preload {

// libc gives threads arenas as if each could run beside all others: eight for each CPU. Fibers
// share a few workers, and memory that one has freed is best used by the next, while it is in the
// cache. Leaves alone what the user has said by MALLOC_ARENA_MAX or GLIBC_TUNABLES.
void fit_arenas(std::uint32_t workers) noexcept;

}  // namespace weft::preload
