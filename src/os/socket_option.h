// SPDX-License-Identifier: Apache-2.0
// What a socket says of itself.
#pragma once

#include <sys/socket.h>
#include <sys/syscall.h>

#include "os/system_call.h"

namespace weft::os {

// An option of SOL_SOCKET that is a number; 0 for what is no socket.
inline int socket_option(int descriptor, int option) noexcept {
  int value = 0;
  unsigned value_bytes = sizeof(value);
  call(SYS_getsockopt, descriptor, SOL_SOCKET, option, &value, &value_bytes);
  return value;
}

}  // namespace weft::os
