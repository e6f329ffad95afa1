// SPDX-License-Identifier: Apache-2.0
// Pages that were readable when we last asked.
#include "preload/readable.h"

#include <linux/futex.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstdint>

#include "base/atomic.h"
#include "os/system_call.h"

namespace weft::preload {
namespace {

constexpr std::uintptr_t page_bytes = 4096;
constexpr std::size_t remembered_pages = 4096;
constinit atomic<std::uintptr_t> pages[remembered_pages] = {};

}  // namespace

bool is_readable(const void* address) noexcept {
  const auto number = reinterpret_cast<std::uintptr_t>(address);
  const std::uintptr_t page = number / page_bytes;
  atomic<std::uintptr_t>& remembered = pages[page % remembered_pages];
  if (page != 0 && remembered.load(std::memory_order_relaxed) == page) return true;
  // A comparison that wakes and moves nobody: the cheapest call that reads a word.
  const std::uintptr_t word = number & ~std::uintptr_t{3};
  if (os::call(SYS_futex, word, FUTEX_CMP_REQUEUE_PRIVATE, 0, 0, word, 0) == -EFAULT) return false;
  remembered.store(page, std::memory_order_relaxed);
  return true;
}

}  // namespace weft::preload
