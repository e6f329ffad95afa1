// SPDX-License-Identifier: Apache-2.0
// Names against patterns.
#include "preload/native_threads.h"

#include <dlfcn.h>
#include <fnmatch.h>

#include <cstring>

#include "preload/options.h"

namespace weft::preload {

bool is_kept_native(const char* name) noexcept {
  const char* at = options().keep_native;
  while (*at != '\0') {
    const std::size_t bytes = std::strcspn(at, ":");
    char pattern[sizeof(Options::keep_native)];
    std::memcpy(pattern, at, bytes);
    pattern[bytes] = '\0';
    if (bytes != 0 && ::fnmatch(pattern, name, 0) == 0) return true;
    at += bytes + (at[bytes] == ':' ? 1 : 0);
  }
  return false;
}

bool is_kept_native(void* (*function)(void*)) noexcept {
  if (*options().keep_native == '\0') return false;
  Dl_info symbol{};
  return ::dladdr(reinterpret_cast<const void*>(function), &symbol) != 0 &&
         symbol.dli_sname != nullptr && is_kept_native(symbol.dli_sname);
}

}  // namespace weft::preload
