// SPDX-License-Identifier: Apache-2.0
// Backoff: how to spin until another kernel thread has taken a few more steps.
#pragma once

#include <sys/syscall.h>

#include <cstdint>
#include <ctime>

#include "arch/system_call.h"
#include "os/system_call.h"

namespace weft::os {

// What is waited for takes nanoseconds, unless the kernel has taken the CPU from who does it: then
// it gets ours. A real-time thread cannot yield to others, and must sleep.
class Backoff {
 public:
  void pause() noexcept {
    if (++turns_ <= pauses_before_yield) return arch::relax();
    if (turns_ <= pauses_before_sleep) {
      call(SYS_sched_yield);
      return;
    }
    const timespec time{.tv_sec = 0, .tv_nsec = 50'000};
    call(SYS_nanosleep, &time, nullptr);
  }

 private:
  static constexpr std::uint32_t pauses_before_yield = 64;
  static constexpr std::uint32_t pauses_before_sleep = 256;
  std::uint32_t turns_ = 0;
};

}  // namespace weft::os
