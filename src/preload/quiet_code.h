// SPDX-License-Identifier: Apache-2.0
// QuietCode: this library and libc, where a fiber must not be disturbed: it may hold a lock of the
// engine's, or be about to switch.
#pragma once

#include <link.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace weft::preload {

class QuietCode {
 public:
  void find() noexcept { ::dl_iterate_phdr(&QuietCode::add, this); }
  bool has(std::uintptr_t address) const noexcept {
    for (const Range& range : ranges_) {
      if (address >= range.begin && address < range.end) return true;
    }
    return false;
  }

 private:
  struct Range {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
  };
  static int add(dl_phdr_info* info, std::size_t, void* self) {
    const auto here = reinterpret_cast<std::uintptr_t>(&QuietCode::add);
    const char* const name = info->dlpi_name == nullptr ? "" : info->dlpi_name;
    const bool by_name = std::strstr(name, "/libc.so") != nullptr ||
                         std::strstr(name, "/ld-linux") != nullptr ||
                         std::strstr(name, "vdso") != nullptr;
    Range all{.begin = ~std::uintptr_t{0}, .end = 0};
    bool is_ours = false;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
      const auto& segment = info->dlpi_phdr[i];
      if (segment.p_type != PT_LOAD) continue;
      const std::uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
      all.begin = std::min(all.begin, begin);
      all.end = std::max(all.end, begin + segment.p_memsz);
      is_ours |= here >= begin && here < begin + segment.p_memsz;
    }
    auto& ranges = static_cast<QuietCode*>(self)->ranges_;
    for (Range& range : ranges) {
      if ((!by_name && !is_ours) || range.end != 0) continue;
      range = all;
      break;
    }
    return 0;
  }
  Range ranges_[4] = {};
};

}  // namespace weft::preload
