// SPDX-License-Identifier: Apache-2.0
// The futex in the `model` preset: scheduled threads block in the schedule, others in the kernel.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>

#include <cstddef>
#include <cstdint>
#include <ctime>

#include "base/atomic.h"
#include "base/atomic_scheduler.h"
#include "os/clock.h"
#include "os/system_call.h"

namespace weft::os {

// Sleeps while the word has the value, until it is woken or the deadline is over. In a schedule it
// never returns for no reason.
inline void futex_wait(const atomic<std::uint32_t>& word, std::uint32_t value,
                       Instant deadline = never) noexcept {
  const auto since_epoch = deadline.time_since_epoch().count();
  if (base::atomic_scheduler != nullptr) {
    word.block_while(value, since_epoch);
    return;
  }
  const std::int64_t positive = since_epoch > 0 ? since_epoch : 0;
  const timespec time{.tv_sec = positive / 1'000'000'000, .tv_nsec = positive % 1'000'000'000};
  call(SYS_futex, &word, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, value,
       deadline == never ? nullptr : &time, nullptr, FUTEX_BITSET_MATCH_ANY);
}

// Wakes so many of those who sleep on the word. The word may be gone already: it is only a name.
inline void futex_wake(const atomic<std::uint32_t>& word, int count = 1) noexcept {
  base::AtomicScheduler* const scheduler = base::atomic_scheduler;
  if (scheduler == nullptr) {
    call(SYS_futex, &word, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, count);
    return;
  }
  scheduler->take_turn(base::AtomicOperation::wake, &word, std::memory_order_seq_cst);
  scheduler->wake(&word, static_cast<std::size_t>(count));
}

}  // namespace weft::os
