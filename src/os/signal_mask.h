// SPDX-License-Identifier: Apache-2.0
// SignalMask: keeps the program's asynchronous signals away from kernel threads that are the
// engine's.
#pragma once

#include <sys/syscall.h>

#include <csignal>
#include <cstdint>

#include "os/system_call.h"

namespace weft::os {

// A signal that the program does not get to see: libc has two such (32, 33), and this is ours.
inline constexpr int own_signal = 34;

// Blocks every signal of the calling kernel thread but those that a fault of its own raises, libc's
// two (cancellation and set*id) and our own. The scoped form puts the mask back.
class SignalMask {
 public:
  SignalMask() noexcept {
    constexpr auto bit = [](int signal) { return std::uint64_t{1} << (signal - 1); };
    constexpr std::uint64_t blocked =
        ~(bit(SIGSEGV) | bit(SIGBUS) | bit(SIGFPE) | bit(SIGILL) | bit(SIGTRAP) | bit(SIGSYS) |
          bit(32) | bit(33) | bit(own_signal));
    call(SYS_rt_sigprocmask, SIG_BLOCK, &blocked, &before_, sizeof(before_));
  }
  ~SignalMask() {
    if (restore_) call(SYS_rt_sigprocmask, SIG_SETMASK, &before_, nullptr, sizeof(before_));
  }
  SignalMask(const SignalMask&) = delete;
  SignalMask& operator=(const SignalMask&) = delete;

  // The mask stays.
  void keep() noexcept { restore_ = false; }

 private:
  std::uint64_t before_ = 0;
  bool restore_ = true;
};

}  // namespace weft::os
