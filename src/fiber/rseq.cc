// SPDX-License-Identifier: Apache-2.0
// Where libc keeps its area, and how it is given up.
#include "fiber/rseq.h"

#include <sys/syscall.h>

#include <cstddef>
#include <cstdint>

#include "arch/switch.h"
#include "os/system_call.h"

extern "C" {
// glibc 2.35 and later.
[[gnu::weak]] extern const std::ptrdiff_t __rseq_offset;
[[gnu::weak]] extern const unsigned __rseq_size;
}

namespace weft::fiber {
namespace {

// The part of the kernel's struct rseq that says which CPU it is.
struct Area {
  std::uint32_t cpu_id_start;
  std::int32_t cpu_id;
};
constexpr std::size_t area_bytes = 32;
constexpr long unregister = 1;
constexpr std::uint32_t signature = 0x53053053;  // RSEQ_SIG of libc on x86
constexpr std::int32_t registration_failed = -2;

}  // namespace

void leave_rseq() noexcept {
  if (&__rseq_size == nullptr || __rseq_size == 0) return;
  auto* const area =
      reinterpret_cast<Area*>(static_cast<std::byte*>(arch::thread_pointer()) + __rseq_offset);
  if (os::call(SYS_rseq, area, area_bytes, unregister, signature) != 0) return;
  area->cpu_id = registration_failed;
}

}  // namespace weft::fiber
