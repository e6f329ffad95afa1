// SPDX-License-Identifier: Apache-2.0
// The next definition of each function, from the loader.
#include "fiber/libc.h"

#include <dlfcn.h>

#include "os/check.h"

namespace weft::fiber {
namespace {

template <class Function>
void resolve(Function& function, const char* name) {
  function = reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
  os::check(function != nullptr, "weft: libc has no threads (is the program statically linked?)");
}

Libc resolve_all() {
  Libc table{};
  resolve(table.create, "pthread_create");
  resolve(table.join, "pthread_join");
  resolve(table.try_join, "pthread_tryjoin_np");
  resolve(table.detach, "pthread_detach");
  resolve(table.set_name, "pthread_setname_np");
  return table;
}

}  // namespace

const Libc& libc() noexcept {
  static const Libc table = resolve_all();
  return table;
}

}  // namespace weft::fiber
