// SPDX-License-Identifier: Apache-2.0
// Books of shared memory.
#include "preload/shared_memory.h"

#include <algorithm>

namespace weft::preload {
namespace {

template <class Better>
void improve(atomic<std::uintptr_t>& value, std::uintptr_t candidate, Better better) {
  std::uintptr_t before = value.load(std::memory_order_relaxed);
  while (better(candidate, before) && !value.compare_exchange_weak(before, candidate)) {
  }
}

}  // namespace

constinit SharedMemory shared_memory;

void SharedMemory::Range::clear() noexcept {
  end.store(0, std::memory_order_relaxed);
  begin.store(0, std::memory_order_release);  // who takes it finds no end
}

void SharedMemory::add(std::uintptr_t address, std::size_t bytes) noexcept {
  for (std::size_t i = 0; i < ranges_.size(); ++i) {
    std::uintptr_t expected = 0;
    if (!ranges_[i].begin.compare_exchange_strong(expected, address)) continue;
    ranges_[i].end.store(address + bytes, std::memory_order_release);
    std::size_t used = used_.load(std::memory_order_relaxed);
    while (used <= i && !used_.compare_exchange_weak(used, i + 1)) {
    }
    return;
  }
  improve(others_begin_, address, std::less<>{});
  improve(others_end_, address + bytes, std::greater<>{});
}

void SharedMemory::forget(std::uintptr_t address, std::size_t bytes) noexcept {
  const std::size_t used = used_.load(std::memory_order_acquire);
  for (std::size_t i = 0; i < used; ++i) {
    const std::uintptr_t end = ranges_[i].end.load(std::memory_order_acquire);
    const std::uintptr_t begin = ranges_[i].begin.load(std::memory_order_relaxed);
    if (end != 0 && begin >= address && end <= address + bytes) ranges_[i].clear();
  }
}

void SharedMemory::forget_at(std::uintptr_t address) noexcept {
  const std::size_t used = used_.load(std::memory_order_acquire);
  for (std::size_t i = 0; i < used; ++i) {
    if (ranges_[i].begin.load(std::memory_order_relaxed) == address) ranges_[i].clear();
  }
}

bool SharedMemory::has(std::uintptr_t address) const noexcept {
  const std::size_t used = used_.load(std::memory_order_acquire);
  for (std::size_t i = 0; i < used; ++i) {
    const std::uintptr_t end = ranges_[i].end.load(std::memory_order_acquire);
    if (address < end && address >= ranges_[i].begin.load(std::memory_order_relaxed)) return true;
  }
  return address < others_end_.load(std::memory_order_relaxed) &&
         address >= others_begin_.load(std::memory_order_relaxed);
}

}  // namespace weft::preload
