// SPDX-License-Identifier: Apache-2.0
// The books of memory that other processes may have, too.
//
// A futex without the private flag may be another process's only where its word is in such memory.
// Many programs leave the flag out for words of their own (std::atomic::wait of libstdc++ does).
// Read and written without locks: children of a fork go on with it, and handlers of signals may.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/atomic.h"

namespace weft::preload {

class SharedMemory {
 public:
  // Before the program learns of the mapping.
  void add(const void* address, std::size_t bytes) noexcept;
  // What is wholly within is no longer shared.
  void forget(const void* address, std::size_t bytes) noexcept;
  // The mapping that begins there.
  void forget_at(const void* address) noexcept;

  // Perhaps also true for what is no longer.
  bool has(const void* address) const noexcept;

 private:
  // Free: both are 0. `begin` is written first, and by whoever takes the entry.
  struct Range {
    atomic<std::uintptr_t> begin{0}, end{0};
    void clear() noexcept;
  };

  std::array<Range, 128> ranges_;
  atomic<std::size_t> used_{0};  // none beyond
  // All that had no room above, and what lies between.
  atomic<std::uintptr_t> others_begin_{UINTPTR_MAX}, others_end_{0};
};

extern constinit SharedMemory shared_memory;

// What mmap(2) has answered, with its flags.
void note_mapping(void* address, std::size_t bytes, int flags) noexcept;

}  // namespace weft::preload
