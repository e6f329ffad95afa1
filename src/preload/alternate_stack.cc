// SPDX-License-Identifier: Apache-2.0
// Alternate stacks: the program's, and those of carriers.
#include "preload/alternate_stack.h"

#include <sys/syscall.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <new>

#include "arch/signal_frame.h"
#include "fiber/fiber.h"
#include "os/memory.h"
#include "os/system_call.h"
#include "preload/thread_state.h"

namespace weft::preload {
namespace {

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

// The kernel thread's mask is again what it was before the signal, which it answers.
std::uint64_t take_back_mask(const ucontext_t& context) {
  const std::uint64_t mask = bits_of(context.uc_sigmask);
  os::call(SYS_rt_sigprocmask, SIG_SETMASK, &mask, nullptr, sizeof(mask));
  return mask;
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
  arch::return_from_signal(fault.context);
}

[[noreturn]] void leave_carrier_stack(int signal, std::byte* top, const siginfo_t& info,
                                      const ucontext_t& context, FaultHandler handler) {
  const void* const state = arch::vector_state_of(context);
  const std::size_t bytes = arch::vector_state_bytes(state);
  std::byte* const new_state = aligned_below<arch::vector_state_alignment>(top, bytes);
  // Where there is no room this faults, with the signal blocked: the kernel ends the process, as it
  // would without us.
  std::memcpy(new_state, state, bytes);
  auto* const fault = new (aligned_below<64>(new_state, sizeof(Fault)))
      Fault{.signal = signal, .handler = handler, .info = info, .context = {}};
  std::memcpy(static_cast<void*>(&fault->context), &context, arch::kernel_context_bytes);
  arch::set_vector_state(fault->context, new_state);
  arch::weft_call_on_stack(handle_moved_fault, fault, fault);
  __builtin_unreachable();
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
  arch::weft_call_on_stack(function, argument, aligned_below<16>(top_of(used), 0));
  if ((used.ss_flags & disarms) != 0) stack = used;
}

void handle_fault_of_fiber(int signal, int action_flags, siginfo_t& info, ucontext_t& context,
                           FaultHandler handler) noexcept {
  const std::uintptr_t interrupted = arch::stack_pointer_of(context);
  const stack_t& stack = thread_state.alternate_stack;
  const bool is_elsewhere = (action_flags & SA_ONSTACK) != 0 && is_usable(stack, interrupted);
  const auto here = number_of(__builtin_frame_address(0));
  const stack_t carriers{
      .ss_sp = context.uc_stack.ss_sp, .ss_flags = 0, .ss_size = context.uc_stack.ss_size};
  if (is_elsewhere || is_on(carriers, here)) {
    auto* const below = reinterpret_cast<std::byte*>(interrupted - arch::red_zone_bytes);
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

void with_stack_for_faults(void (*function)(void*), void* argument) noexcept {
  constexpr std::size_t bytes = std::size_t{64} * 1024;
  void* const memory = os::map_memory(bytes, MAP_NORESERVE | MAP_STACK);
  if (memory == nullptr) return function(argument);  // then faults of full stacks kill
  const stack_t stack{.ss_sp = memory, .ss_flags = 0, .ss_size = bytes};
  os::call(SYS_sigaltstack, &stack, nullptr);
  function(argument);
  os::call(SYS_sigaltstack, &no_stack, nullptr);
  os::call(SYS_munmap, memory, bytes);
}

}  // namespace weft::preload
