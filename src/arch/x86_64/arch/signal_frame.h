// SPDX-License-Identifier: Apache-2.0
// What the kernel puts on a stack for a signal handler, and how it is left (x86_64, Linux).
#pragma once

#include <sys/syscall.h>
#include <ucontext.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace weft::arch {

extern "C" {

// Calls the function on the stack that ends at `top`, a multiple of 16. May be unwound through.
void weft_call_on_stack(void (*function)(void*), void* argument, void* top);
}

// What lies below the stack pointer is in use, too, so far.
inline constexpr std::size_t red_zone_bytes = 128;

inline std::uintptr_t stack_pointer_of(const ucontext_t& context) noexcept {
  return static_cast<std::uintptr_t>(context.uc_mcontext.gregs[REG_RSP]);
}

inline std::uintptr_t instruction_of(const ucontext_t& context) noexcept {
  return static_cast<std::uintptr_t>(context.uc_mcontext.gregs[REG_RIP]);
}

// The part of a context that the kernel knows; libc's is longer.
inline constexpr std::size_t kernel_context_bytes =
    offsetof(ucontext_t, uc_sigmask) + sizeof(std::uint64_t);

// The state of the vector unit, which lies apart from the context.
inline const void* vector_state_of(const ucontext_t& context) noexcept {
  return context.uc_mcontext.fpregs;
}

inline void set_vector_state(ucontext_t& context, void* state) noexcept {
  context.uc_mcontext.fpregs = static_cast<fpregset_t>(state);
}

inline constexpr std::size_t vector_state_alignment = 64;

// How much the kernel has saved of it: it says so in what is left of the first 512 bytes.
inline std::size_t vector_state_bytes(const void* state) noexcept {
  struct Described {
    std::uint32_t magic, bytes;
  } described{};
  constexpr std::size_t place = 464;
  constexpr std::uint32_t is_extended = 0x4650'5853;
  constexpr std::size_t plain_bytes = 512;
  std::memcpy(&described, static_cast<const std::byte*>(state) + place, sizeof(described));
  return described.magic == is_extended ? described.bytes : plain_bytes;
}

// Ends a handler: the kernel goes on from what the context says. The context may be a copy.
[[noreturn]] inline void return_from_signal(ucontext_t& context) noexcept {
  asm volatile("mov %0, %%rsp\n\tsyscall" ::"r"(&context), "a"(SYS_rt_sigreturn) : "memory");
  __builtin_unreachable();
}

}  // namespace weft::arch
