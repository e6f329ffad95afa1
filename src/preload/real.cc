// SPDX-License-Identifier: Apache-2.0
// Addresses of the next definitions, found once.
#include "preload/real.h"

#include <dlfcn.h>

#include "os/check.h"

namespace weft::preload {
namespace {

constexpr const char* names[] = {
#define WEFT_SYMBOL(name, family, treatment, how) #name,
#include "preload/symbols.def"
#undef WEFT_SYMBOL
};

// Whoever comes first writes it; all write the same.
constinit atomic<void*> addresses[static_cast<unsigned>(Symbol::count)] = {};

}  // namespace

void* next_definition(Symbol symbol) noexcept {
  atomic<void*>& address = addresses[static_cast<unsigned>(symbol)];
  void* found = address.load(std::memory_order_relaxed);
  if (found != nullptr) [[likely]]
    return found;
  found = ::dlsym(RTLD_NEXT, names[static_cast<unsigned>(symbol)]);
  os::check(found != nullptr, "weft: libc lacks a function that it should have");
  address.store(found, std::memory_order_relaxed);
  return found;
}

}  // namespace weft::preload
