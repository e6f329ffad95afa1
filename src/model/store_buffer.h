// SPDX-License-Identifier: Apache-2.0
// StoreBuffer: a thread's stores on their way to memory, first in, first out.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <vector>

#include "base/atomic_scheduler.h"

namespace weft::model {

class StoreBuffer {
 public:
  struct Entry {
    base::AtomicStore store;  // its value pointer is not used: the bytes are here
    alignas(16) std::array<std::byte, base::AtomicStore::largest_bytes> value;
  };

  bool empty() const noexcept { return entries_.empty(); }

  void add(const base::AtomicStore& store) {
    Entry& entry = entries_.emplace_back();
    entry.store = store;
    std::memcpy(entry.value.data(), store.value, store.bytes);
  }

  // Writes the oldest entry to memory and takes it out. Precondition: !empty().
  Entry write_oldest() {
    const Entry entry = entries_.front();
    entries_.erase(entries_.begin());
    entry.store.write(entry.store.cell, entry.value.data());
    return entry;
  }

  // The newest value for the cell, or nullptr.
  const void* newest(const void* cell) const {
    if (entries_.empty()) return nullptr;
    const auto found = std::find_if(entries_.rbegin(), entries_.rend(), [cell](const Entry& entry) {
      return entry.store.cell == cell;
    });
    return found == entries_.rend() ? nullptr : found->value.data();
  }

  void drop(const void* cell) {
    std::erase_if(entries_, [cell](const Entry& entry) { return entry.store.cell == cell; });
  }

 private:
  std::vector<Entry> entries_;  // oldest first; there are a few at most
};

}  // namespace weft::model
