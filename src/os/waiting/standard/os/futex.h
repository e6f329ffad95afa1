// SPDX-License-Identifier: Apache-2.0
// The futex: a kernel thread sleeps while a word in memory has a value.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>

#include <cstdint>
#include <ctime>

#include "base/atomic.h"
#include "os/clock.h"
#include "os/system_call.h"
#include "os/timespec.h"

namespace weft::os {

// Sleeps while the word has the value, until it is woken or the deadline is over. Returns early for
// signals and for no reason: the caller looks at the word, and at the clock, again.
inline void futex_wait(const atomic<std::uint32_t>& word, std::uint32_t value,
                       Instant deadline = never) noexcept {
  const timespec time = timespec_of(deadline.time_since_epoch());
  call(SYS_futex, &word, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, value,
       deadline == never ? nullptr : &time, nullptr, FUTEX_BITSET_MATCH_ANY);
}

// Wakes so many of those who sleep on the word. The word may be gone already: it is only a name.
inline void futex_wake(const atomic<std::uint32_t>& word, int count = 1) noexcept {
  call(SYS_futex, &word, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, count);
}

}  // namespace weft::os
