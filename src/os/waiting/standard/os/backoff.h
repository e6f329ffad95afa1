// SPDX-License-Identifier: Apache-2.0
// Backoff: how to spin until another kernel thread has taken a few more steps.
#pragma once

#include <sys/syscall.h>

#include <cstdint>

#include "arch/system_call.h"
#include "os/system_call.h"

namespace weft::os {

// What is waited for takes nanoseconds, unless the kernel has taken the CPU from who does it: then
// it gets ours.
class Backoff {
 public:
  void pause() noexcept {
    if (++turns_ <= pauses_before_yield) return arch::relax();
    call(SYS_sched_yield);
  }

 private:
  static constexpr std::uint32_t pauses_before_yield = 64;
  std::uint32_t turns_ = 0;
};

}  // namespace weft::os
