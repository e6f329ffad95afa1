// SPDX-License-Identifier: Apache-2.0
// Books of shared memory.
#include "preload/shared_memory.h"

#include <sys/mman.h>

#include <functional>

namespace weft::preload {
namespace {

std::uintptr_t number_of(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address);
}

template <class Number, class Better>
void improve(atomic<Number>& value, Number candidate, Better better) {
  Number before = value.load(std::memory_order_relaxed);
  while (better(candidate, before) && !value.compare_exchange_weak(before, candidate)) {
  }
}

}  // namespace

constinit SharedMemory shared_memory;

void SharedMemory::Range::clear() noexcept {
  end.store(0, std::memory_order_relaxed);
  begin.store(0, std::memory_order_release);  // who takes it finds no end
}

void SharedMemory::add(const void* address, std::size_t bytes) noexcept {
  const std::uintptr_t begin = number_of(address);
  for (std::size_t i = 0; i < ranges_.size(); ++i) {
    std::uintptr_t expected = 0;
    if (!ranges_[i].begin.compare_exchange_strong(expected, begin)) continue;
    ranges_[i].end.store(begin + bytes, std::memory_order_release);
    improve(used_, i + 1, std::greater<>{});
    return;
  }
  improve(others_begin_, begin, std::less<>{});
  improve(others_end_, begin + bytes, std::greater<>{});
}

void SharedMemory::forget(const void* address, std::size_t bytes) noexcept {
  const std::uintptr_t first = number_of(address);
  const std::size_t used = used_.load(std::memory_order_acquire);
  for (std::size_t i = 0; i < used; ++i) {
    const std::uintptr_t end = ranges_[i].end.load(std::memory_order_acquire);
    const std::uintptr_t begin = ranges_[i].begin.load(std::memory_order_relaxed);
    if (end != 0 && begin >= first && end <= first + bytes) ranges_[i].clear();
  }
}

void SharedMemory::forget_at(const void* address) noexcept {
  const std::size_t used = used_.load(std::memory_order_acquire);
  for (std::size_t i = 0; i < used; ++i) {
    if (ranges_[i].begin.load(std::memory_order_relaxed) == number_of(address)) ranges_[i].clear();
  }
}

bool SharedMemory::has(const void* address) const noexcept {
  const std::uintptr_t here = number_of(address);
  const std::size_t used = used_.load(std::memory_order_acquire);
  for (std::size_t i = 0; i < used; ++i) {
    const std::uintptr_t end = ranges_[i].end.load(std::memory_order_acquire);
    if (here < end && here >= ranges_[i].begin.load(std::memory_order_relaxed)) return true;
  }
  return here < others_end_.load(std::memory_order_relaxed) &&
         here >= others_begin_.load(std::memory_order_relaxed);
}

void note_mapping(void* address, std::size_t bytes, int flags) noexcept {
  if (address == MAP_FAILED) return;
  shared_memory.forget(address, bytes);  // what lay there before
  const bool is_shared = (flags & MAP_TYPE) != MAP_PRIVATE;
  if (is_shared) shared_memory.add(address, bytes);
}

}  // namespace weft::preload
