// SPDX-License-Identifier: Apache-2.0
// The number of libc's arenas.
#include "preload/allocator.h"

#include <malloc.h>

#include <cstdlib>
#include <cstring>

namespace weft::preload {
namespace {

bool user_has_decided() noexcept {
  if (std::getenv("MALLOC_ARENA_MAX") != nullptr) return true;
  const char* const tunables = std::getenv("GLIBC_TUNABLES");
  return tunables != nullptr && std::strstr(tunables, "glibc.malloc.arena_") != nullptr;
}

}  // namespace

void fit_arenas(std::uint32_t workers) noexcept {
  // Two run at once, by chance in the same arena: one of them would wait in the kernel.
  constexpr std::uint32_t arenas_per_worker = 4;
  if (user_has_decided()) return;
  mallopt(M_ARENA_MAX, static_cast<int>(workers == 1 ? 1 : workers * arenas_per_worker));
}

}  // namespace weft::preload
