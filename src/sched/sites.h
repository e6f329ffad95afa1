// SPDX-License-Identifier: Apache-2.0
// Sites: how often something happened, by the place in the code where it did.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/atomic.h"

namespace weft::sched {

// Names are constant texts and told apart by their address. When the table is full, the rest is
// counted as the last entry.
class Sites {
 public:
  static constexpr std::size_t most_sites = 64;
  struct Entry {
    atomic<const char*> name{nullptr};
    atomic<std::uint64_t> count{0};
  };

  void count(const char* name) noexcept {
    for (std::size_t i = 0; i < most_sites; ++i) {
      const char* taken = entries_[i].name.load(std::memory_order_relaxed);
      const bool ours =
          taken == name || i + 1 == most_sites ||
          (taken == nullptr && entries_[i].name.compare_exchange_strong(taken, name)) ||
          taken == name;
      if (!ours) continue;
      entries_[i].count.fetch_add(1, std::memory_order_relaxed);
      return;
    }
  }

  const Entry& at(std::size_t index) const noexcept { return entries_[index]; }

 private:
  Entry entries_[most_sites];
};

// All trips home of this process.
Sites& trips_home() noexcept;

}  // namespace weft::sched
