// SPDX-License-Identifier: Apache-2.0
// os::call(): a system call with arguments of any kind, by the engine's own instruction.
//
// The engine runs under the symbols it interposes, on the stacks and with the errno of the program:
// it calls the kernel itself. Everything else in weft calls libc, but for src/net/socket_call.h.
#pragma once

#include <type_traits>

#include "arch/system_call.h"

namespace weft::os {

template <class Argument>
long as_register(Argument argument) noexcept {
  if constexpr (std::is_pointer_v<Argument>) {
    return reinterpret_cast<long>(argument);
  } else if constexpr (std::is_null_pointer_v<Argument>) {
    return 0;
  } else {
    return static_cast<long>(argument);
  }
}

// Answers what the kernel does: a value, or minus errno.
template <class... Arguments>
long call(long number, Arguments... arguments) noexcept {
  return arch::system_call(number, as_register(arguments)...);
}

}  // namespace weft::os
