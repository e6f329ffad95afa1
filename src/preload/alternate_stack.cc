// SPDX-License-Identifier: Apache-2.0
// Alternate stacks: the program's, and those of carriers.
#include "preload/alternate_stack.h"

#include <sys/mman.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>

#include "fiber/libc.h"
#include "os/system_call.h"
#include "preload/thread_state.h"

// void weft_call_on_stack(void (*function)(void*), void* argument, void* top): unwinders find the
// caller's frame by the frame pointer.
asm(R"(
.text
.local weft_call_on_stack
.type weft_call_on_stack, @function
weft_call_on_stack:
  .cfi_startproc
  push %rbp
  .cfi_def_cfa_offset 16
  .cfi_offset %rbp, -16
  mov %rsp, %rbp
  .cfi_def_cfa_register %rbp
  mov %rdx, %rsp
  mov %rdi, %rax
  mov %rsi, %rdi
  call *%rax
  mov %rbp, %rsp
  pop %rbp
  .cfi_def_cfa %rsp, 8
  ret
  .cfi_endproc
.size weft_call_on_stack, . - weft_call_on_stack
)");
extern "C" void weft_call_on_stack(void (*function)(void*), void* argument, void* top);

namespace weft::preload {
namespace {

constexpr std::size_t carrier_stack_bytes = std::size_t{64} * 1024;
constexpr std::size_t least_stack_bytes = 2048;  // for the kernel; libc asks for more
constexpr int disarms = 1 << 31;                 // SS_AUTODISARM

std::uintptr_t number_of(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address);
}

// As the kernel decides it.
bool is_on(const stack_t& stack, std::uintptr_t stack_pointer) {
  if (stack.ss_flags != 0) return false;  // none, or one that is disarmed while it is used
  return stack_pointer > number_of(stack.ss_sp) &&
         stack_pointer - number_of(stack.ss_sp) <= stack.ss_size;
}

bool is_usable(const stack_t& stack, std::uintptr_t stack_pointer) {
  return (stack.ss_flags & SS_DISABLE) == 0 && !is_on(stack, stack_pointer);
}

std::byte* top_of(const stack_t& stack) {
  return static_cast<std::byte*>(stack.ss_sp) + stack.ss_size;
}

template <std::uintptr_t alignment>
std::byte* aligned_below(std::byte* address, std::size_t bytes) {
  return reinterpret_cast<std::byte*>((number_of(address) - bytes) & ~(alignment - 1));
}

constexpr stack_t no_stack{.ss_sp = nullptr, .ss_flags = SS_DISABLE, .ss_size = 0};

// How much the kernel has saved of the processor's state: it says so in what is left of the first
// 512 bytes.
std::size_t state_bytes(const void* state) {
  struct Described {
    std::uint32_t magic, bytes;
  } described{};
  constexpr std::size_t place = 464;
  constexpr std::uint32_t is_extended = 0x4650'5853;
  std::memcpy(&described, static_cast<const std::byte*>(state) + place, sizeof(described));
  return described.magic == is_extended ? described.bytes : 512;
}

// The part of a context that the kernel knows; libc's is longer.
constexpr std::size_t kernel_context_bytes =
    offsetof(ucontext_t, uc_sigmask) + sizeof(std::uint64_t);

// The kernel thread's mask is again what it was before the signal, which it answers.
std::uint64_t take_back_mask(const ucontext_t& context) {
  const std::uint64_t mask = bits_of(context.uc_sigmask);
  os::call(SYS_rt_sigprocmask, SIG_SETMASK, &mask, nullptr, sizeof(mask));
  return mask;
}

[[noreturn]] void return_from_signal(ucontext_t& context) {
  asm volatile("mov %0, %%rsp\n\tsyscall" ::"r"(&context), "a"(SYS_rt_sigreturn) : "memory");
  __builtin_unreachable();
}

// What the kernel has put on a carrier's stack, somewhere else.
struct Fault {
  int signal;
  FaultHandler handler;
  siginfo_t info;
  ucontext_t context;
};

void handle_moved_fault(void* argument) {
  Fault& fault = *static_cast<Fault*>(argument);
  const std::uint64_t mask = take_back_mask(fault.context);
  fault.handler(fault.signal, fault.info, fault.context);
  keep_to_kernel_thread(fault.context, mask);
  return_from_signal(fault.context);
}

[[noreturn]] void leave_carrier_stack(int signal, std::byte* top, const siginfo_t& info,
                                      const ucontext_t& context, FaultHandler handler) {
  const void* const state = context.uc_mcontext.fpregs;
  const std::size_t bytes = state_bytes(state);
  std::byte* const new_state = aligned_below<64>(top, bytes);
  // Where there is no room this faults, with the signal blocked: the kernel ends the process, as it
  // would without us.
  std::memcpy(new_state, state, bytes);
  auto* const fault = new (aligned_below<64>(new_state, sizeof(Fault)))
      Fault{.signal = signal, .handler = handler, .info = info, .context = {}};
  std::memcpy(static_cast<void*>(&fault->context), &context, kernel_context_bytes);
  fault->context.uc_mcontext.fpregs = reinterpret_cast<fpregset_t>(new_state);
  weft_call_on_stack(handle_moved_fault, fault, fault);
  __builtin_unreachable();
}

// The engine's threads: what is run, on top of a stack for faults.
struct Start {
  void* (*function)(void*);
  void* argument;
};

void* run_with_stack(void* argument) {
  const Start start = *static_cast<Start*>(argument);
  delete static_cast<Start*>(argument);
  const long memory = os::call(SYS_mmap, nullptr, carrier_stack_bytes, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  const bool has_stack = memory > 0 || memory < -4095;  // otherwise faults of full stacks kill
  if (has_stack) {
    const stack_t stack{
        .ss_sp = reinterpret_cast<void*>(memory), .ss_flags = 0, .ss_size = carrier_stack_bytes};
    os::call(SYS_sigaltstack, &stack, nullptr);
  }
  void* const result = start.function(start.argument);
  if (has_stack) {
    os::call(SYS_sigaltstack, &no_stack, nullptr);
    os::call(SYS_munmap, memory, carrier_stack_bytes);
  }
  return result;
}

decltype(fiber::Libc::create) libcs_create = nullptr;

int create_with_stack(pthread_t* handle, const pthread_attr_t* attributes, void* (*function)(void*),
                      void* argument) noexcept {
  if (thread_state.makes_home) return libcs_create(handle, attributes, function, argument);
  auto* const start = new (std::nothrow) Start{function, argument};
  if (start == nullptr) return EAGAIN;
  const int error = libcs_create(handle, attributes, run_with_stack, start);
  if (error != 0) delete start;
  return error;
}

}  // namespace

long change_alternate_stack(const stack_t* stack, stack_t* before) noexcept {
  const std::uintptr_t here = number_of(__builtin_frame_address(0));
  stack_t& known = thread_state.alternate_stack;
  const stack_t had = known;
  if (stack != nullptr) {
    const int mode = stack->ss_flags & ~disarms;
    if (is_on(known, here)) return -EPERM;
    if (mode != 0 && mode != SS_DISABLE && mode != SS_ONSTACK) return -EINVAL;
    if (mode != SS_DISABLE && stack->ss_size < least_stack_bytes) return -ENOMEM;
    known = mode == SS_DISABLE ? no_stack : *stack;
    known.ss_flags &= ~SS_ONSTACK;
    thread_state.home_lacks_stack = true;
    if (fiber::self().is_home()) give_alternate_stack_to_kernel();
  }
  if (before != nullptr) {
    *before = had;
    if (is_on(had, here)) before->ss_flags |= SS_ONSTACK;
  }
  return 0;
}

void keep_alternate_stack() noexcept {
  stack_t kernels = no_stack;
  os::call(SYS_sigaltstack, nullptr, &kernels);
  kernels.ss_flags &= ~SS_ONSTACK;
  thread_state.alternate_stack = kernels;
}

void give_alternate_stack_to_kernel() noexcept {
  if (!thread_state.home_lacks_stack) return;
  thread_state.home_lacks_stack = false;
  os::call(SYS_sigaltstack, &thread_state.alternate_stack, nullptr);
}

void call_on_alternate_stack(int action_flags, void (*function)(void*), void* argument) noexcept {
  stack_t& stack = thread_state.alternate_stack;
  const std::uintptr_t here = number_of(__builtin_frame_address(0));
  if ((action_flags & SA_ONSTACK) == 0 || !is_usable(stack, here)) return function(argument);
  const stack_t used = stack;
  if ((used.ss_flags & disarms) != 0) stack = no_stack;
  weft_call_on_stack(function, argument, aligned_below<16>(top_of(used), 0));
  if ((used.ss_flags & disarms) != 0) stack = used;
}

void handle_fault_of_fiber(int signal, int action_flags, siginfo_t& info, ucontext_t& context,
                           FaultHandler handler) noexcept {
  constexpr std::size_t red_zone_bytes = 128;
  const auto interrupted = static_cast<std::uintptr_t>(context.uc_mcontext.gregs[REG_RSP]);
  const stack_t& stack = thread_state.alternate_stack;
  const bool is_elsewhere = (action_flags & SA_ONSTACK) != 0 && is_usable(stack, interrupted);
  const auto here = number_of(__builtin_frame_address(0));
  const stack_t carriers{
      .ss_sp = context.uc_stack.ss_sp, .ss_flags = 0, .ss_size = context.uc_stack.ss_size};
  if (is_elsewhere || is_on(carriers, here)) {
    auto* const below = reinterpret_cast<std::byte*>(interrupted - red_zone_bytes);
    leave_carrier_stack(signal, is_elsewhere ? top_of(stack) : below, info, context, handler);
  }
  const std::uint64_t mask = take_back_mask(context);
  handler(signal, info, context);
  keep_to_kernel_thread(context, mask);
}

void keep_to_kernel_thread(ucontext_t& context, std::uint64_t mask_before) noexcept {
  constexpr int as_it_is = 1 << 30;  // refused by the kernel, which then goes on
  context.uc_stack.ss_flags = as_it_is;
  const std::uint64_t mask = thread_state.stays_home ? program_mask() : mask_before;
  std::memcpy(&context.uc_sigmask, &mask, sizeof(mask));
}

void give_stacks_to_carriers() noexcept {
  if (libcs_create != nullptr) return;
  libcs_create = fiber::libc().create;
  // The table is the engine's only way to libc, and written here only, before the first carrier.
  const_cast<fiber::Libc&>(fiber::libc()).create = create_with_stack;
}

}  // namespace weft::preload
