// SPDX-License-Identifier: Apache-2.0
// A system call as one instruction: no libc, no errno, nothing that could be interposed.
#pragma once

namespace weft::arch {

// Answers what the kernel does: a value, or minus errno.
inline long system_call(long number, long first = 0, long second = 0, long third = 0,
                        long fourth = 0, long fifth = 0, long sixth = 0) noexcept {
  long result = number;
  register long r10 asm("r10") = fourth;
  register long r8 asm("r8") = fifth;
  register long r9 asm("r9") = sixth;
  asm volatile("syscall"
               : "+a"(result)
               : "D"(first), "S"(second), "d"(third), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return result;
}

// Tells the CPU that this is a spin loop.
inline void relax() noexcept {
  asm volatile("pause" ::: "memory");
}

}  // namespace weft::arch
