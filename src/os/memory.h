// SPDX-License-Identifier: Apache-2.0
// Memory from the kernel.
#pragma once

#include <sys/mman.h>
#include <sys/syscall.h>

#include <cstddef>

#include "os/system_call.h"

namespace weft::os {

// What mmap(2) has answered is an address, and not minus errno.
inline bool is_mapped(long address) noexcept {
  constexpr long last_error = -4095;
  return address > 0 || address < last_error;
}

// Memory of zeros that is the process's own, to read and to write; nullptr: there is none left.
inline void* map_memory(std::size_t bytes, int more_flags = 0) noexcept {
  const long address = call(SYS_mmap, nullptr, bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | more_flags, -1, 0);
  return is_mapped(address) ? reinterpret_cast<void*>(address) : nullptr;
}

}  // namespace weft::os
