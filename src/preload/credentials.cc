// SPDX-License-Identifier: Apache-2.0
// set*id for all kernel threads: libc's signal for it, on carriers.
#include "preload/credentials.h"

#include <sys/syscall.h>

#include <csignal>
#include <cstdint>

#include "arch/switch.h"
#include "base/atomic.h"
#include "fiber/fiber.h"
#include "os/system_call.h"
#include "sched/worker.h"

namespace weft::preload {
namespace {

constexpr int libcs_signal = 33;  // SIGSETXID

// As the kernel has it.
struct KernelAction {
  void (*handler)(int, siginfo_t*, void*) = nullptr;
  unsigned long flags = 0;
  void (*restorer)() = nullptr;
  std::uint64_t mask = 0;
};

constinit atomic<void (*)(int, siginfo_t*, void*)> libcs_handler{nullptr};

// A function of its own, called through a pointer: what it uses of the thread pointer must not be
// kept from before.
void on_set_id_signal(int signal, siginfo_t* info, void* context) {
  auto* const handler = libcs_handler.load(std::memory_order_relaxed);
  const fiber::Fiber* const self = fiber::this_fiber;
  const sched::Carrier* const carrier = self == nullptr ? nullptr : self->carried_by();
  const auto here = static_cast<std::uint32_t>(os::call(SYS_gettid));
  // A home asleep has the fiber's thread pointer as well, but it is not the carrier.
  if (carrier == nullptr || carrier->own->id != here) return handler(signal, info, context);
  void* const fibers = arch::thread_pointer();
  arch::set_thread_pointer(carrier->own->thread_pointer);
  handler(signal, info, context);
  arch::set_thread_pointer(fibers);
}

}  // namespace

void watch_credentials() noexcept {
  KernelAction action;
  os::call(SYS_rt_sigaction, libcs_signal, nullptr, &action, sizeof(action.mask));
  if (action.handler == nullptr || action.handler == on_set_id_signal) return;
  libcs_handler.store(action.handler, std::memory_order_relaxed);
  action.handler = on_set_id_signal;
  os::call(SYS_rt_sigaction, libcs_signal, &action, nullptr, sizeof(action.mask));
}

}  // namespace weft::preload
