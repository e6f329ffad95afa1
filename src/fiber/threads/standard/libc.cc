// SPDX-License-Identifier: Apache-2.0
// The next definition of each function, from the loader.
#include "fiber/libc.h"

#include <dlfcn.h>

#include <cstdint>
#include <mutex>

#include "arch/switch.h"
#include "base/atomic.h"
#include "os/check.h"
#include "os/spin_lock.h"

extern "C" {
extern int __cxa_thread_atexit_impl(void (*function)(void*), void* argument, void* object);
extern void* __dso_handle;
}

namespace weft::fiber {
namespace {

template <class Function>
void resolve(Function& function, const char* name) {
  function = reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
  os::check(function != nullptr, "weft: libc has no threads (is the program statically linked?)");
}

// Not a static variable of the function: the compiler's guard would wait in libc.
constinit os::SpinLock lock;
constinit Libc table{};  // guarded by lock until it is resolved
constinit atomic<bool> resolved{false};

}  // namespace

const Libc& libc() noexcept {
  if (resolved.load(std::memory_order_acquire)) return table;
  const std::scoped_lock guard(lock);
  if (resolved.load(std::memory_order_relaxed)) return table;
  resolve(table.create, "pthread_create");
  resolve(table.join, "pthread_join");
  resolve(table.try_join, "pthread_tryjoin_np");
  resolve(table.detach, "pthread_detach");
  resolved.store(true, std::memory_order_release);
  return table;
}

void at_thread_end(void (*function)(void*), void* argument) noexcept {
  __cxa_thread_atexit_impl(function, argument, &__dso_handle);
}

void* variable_of(pthread_t thread, void* mine) noexcept {
  const auto offset = reinterpret_cast<std::uintptr_t>(mine) -
                      reinterpret_cast<std::uintptr_t>(arch::thread_pointer());
  return reinterpret_cast<void*>(thread + offset);
}

bool finds_variables() noexcept {
  return true;
}

__attribute__((no_sanitize("thread"))) void store_variable(void* where, void* value) noexcept {
  __atomic_store_n(static_cast<void**>(where), value, __ATOMIC_RELEASE);
}

__attribute__((no_sanitize("thread"))) void* load_variable(const void* where) noexcept {
  return __atomic_load_n(static_cast<void* const*>(where), __ATOMIC_ACQUIRE);
}

}  // namespace weft::fiber
