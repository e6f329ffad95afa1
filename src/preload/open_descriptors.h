// SPDX-License-Identifier: Apache-2.0
// The numbers that are in use in this process, by asking the kernel.
#pragma once

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>

#include <cstddef>
#include <cstdint>

#include "os/system_call.h"

namespace weft::preload {

// Calls it with every descriptor from first to last; with none where /proc is not to be had. What
// is closed meanwhile is skipped by the kernel or met once more, and both are harmless.
template <class Function>
void for_each_open_descriptor(unsigned first, unsigned last, Function function) noexcept {
  const long directory =
      os::call(SYS_openat, AT_FDCWD, "/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) return;
  alignas(dirent64) std::byte entries[4096] = {};
  for (;;) {
    const long bytes = os::call(SYS_getdents64, directory, entries, sizeof(entries));
    if (bytes <= 0) break;
    for (long at = 0; at < bytes;) {
      const auto* const entry = reinterpret_cast<const dirent64*>(entries + at);
      at += entry->d_reclen;
      if (entry->d_name[0] == '.') continue;
      unsigned number = 0;
      for (const char* digit = entry->d_name; *digit != '\0'; ++digit) {
        number = number * 10 + static_cast<unsigned>(*digit - '0');
      }
      if (number >= first && number <= last && static_cast<long>(number) != directory) {
        function(static_cast<int>(number));
      }
    }
  }
  os::call(SYS_close, directory);
}

}  // namespace weft::preload
