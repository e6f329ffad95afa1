// SPDX-License-Identifier: Apache-2.0
// The set that the process began with.
#include "preload/cpu_set.h"

#include <sys/syscall.h>

#include <algorithm>
#include <cstring>
#include <mutex>

#include "base/atomic.h"
#include "os/spin_lock.h"
#include "os/system_call.h"
#include "preload/inheritance.h"

namespace weft::preload {
namespace {

constinit atomic<bool> binds_threads{false};
constinit os::SpinLock lock;
constinit cpu_set_t first_set{};  // constant once it is known
constinit atomic<bool> is_known{false};

// Whether the rest of a longer set has no CPU either.
bool is_empty(const std::byte* begin, const std::byte* end) {
  return std::all_of(begin, end, [](std::byte byte) { return byte == std::byte{0}; });
}

bool is_first_set(std::size_t bytes, const cpu_set_t* set) {
  const std::size_t common = std::min(bytes, sizeof(first_set));
  const auto* const data = reinterpret_cast<const std::byte*>(set);
  return std::memcmp(set, &first_set, common) == 0 && is_empty(data + common, data + bytes);
}

// Before anything changes it.
void remember_first_set() {
  if (is_known.load(std::memory_order_acquire)) return;
  const std::scoped_lock guard(lock);
  if (is_known.load(std::memory_order_relaxed)) return;
  // Of the initial thread.
  os::call(SYS_sched_getaffinity, os::call(SYS_getpid), sizeof(first_set), &first_set);
  is_known.store(true, std::memory_order_release);
}

}  // namespace

void note_binding() noexcept {
  remember_first_set();
  note_own_attributes();
  binds_threads.store(true, std::memory_order_relaxed);
}

bool program_binds_threads() noexcept {
  return binds_threads.load(std::memory_order_relaxed);
}

void narrow_to(unsigned count, std::size_t bytes, cpu_set_t* set) noexcept {
  remember_first_set();
  if (!is_first_set(bytes, set)) return;
  unsigned kept = 0;
  for (std::size_t cpu = 0; cpu < 8 * bytes; ++cpu) {
    if (CPU_ISSET_S(cpu, bytes, set) && ++kept > count) CPU_CLR_S(cpu, bytes, set);
  }
}

}  // namespace weft::preload
