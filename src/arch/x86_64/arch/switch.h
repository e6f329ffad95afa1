// SPDX-License-Identifier: Apache-2.0
// The switch: from one fiber's stack, registers and thread pointer to another's (x86_64, System V).
//
// What is saved, on the stack that is left: rbx, rbp, r12 to r15, the control words of SSE and x87,
// and the address to return to. Everything else is the caller's to save, by the calling convention;
// status flags, masks of AVX-512 and the rest of the vector registers are not preserved by any
// call. Not switched either, because they belong to the kernel thread: signal mask, alternate
// signal stack, rseq area. A shadow stack (CET) is not supported; glibc of Debian 12 never turns it
// on.
#pragma once

#include <cstddef>
#include <cstdint>

#include "arch/system_call.h"
#include "base/atomic.h"

namespace weft::arch {

// A stopped execution: where its registers lie. The words there, lowest first, are a Frame.
struct Context {
  void* stack_pointer = nullptr;
};

// What lies at Context::stack_pointer; tools/gdb reads it, too.
struct Frame {
  std::uint32_t sse_control;
  std::uint32_t x87_control;
  std::uint64_t r15, r14, r13, r12, rbx, rbp;
  std::uint64_t return_address;
};
static_assert(sizeof(Frame) == 64);

// Where a home sleeps while its fiber is away.
//   away      1: the fiber's context is saved, and whoever holds the fiber may run it
//   summoned  1: the fiber shall be continued at home; its context is saved
struct Door {
  atomic<std::uint32_t> summoned{0};
  atomic<std::uint32_t> away{0};
  void* stack_top = nullptr;  // of the stack to sleep on, 16-byte aligned; for signals only
};

extern "C" {

// void weft_switch(Context* from, const Context* to, void* thread_pointer)
// Saves the caller as *from, and continues *to with that thread pointer. Returns when somebody
// continues *from: perhaps on another kernel thread.
void weft_switch(Context* from, const Context* to, void* thread_pointer) noexcept;

// void weft_leave_home(Context* context, Door* door)
// Called at home: saves the caller as *context, moves to the door's stack, says `away`, and sleeps
// there until summoned; then it continues *context itself. Returns on whatever kernel thread
// continues *context first. From `away` on it touches neither the stack nor the thread-local
// storage of the fiber, which is why it is not written in C++.
void weft_leave_home(Context* context, Door* door) noexcept;

// 1: wrfsbase may be used; 0: the switch calls arch_prctl.
extern unsigned char weft_has_wrfsbase;
}

// Looks up what this machine has. Until it is called, the slower way is used, which always works.
void prepare() noexcept;

// Whether the kernel lets user space write the thread pointer by an instruction.
bool kernel_allows_wrfsbase() noexcept;

// The thread pointer of the calling thread.
// For the few instructions in which somebody else's thread-local storage is wanted.
inline void set_thread_pointer(void* value) noexcept {
  if (weft_has_wrfsbase != 0) {
    asm volatile("wrfsbase %0" : : "r"(value) : "memory");
  } else {
    constexpr long arch_prctl = 158, set_fs = 0x1002;
    system_call(arch_prctl, set_fs, reinterpret_cast<long>(value), 0, 0, 0, 0);
  }
}

inline void* thread_pointer() noexcept {
  void* pointer = nullptr;
  asm("movq %%fs:0, %0" : "=r"(pointer));
  return pointer;
}

}  // namespace weft::arch
