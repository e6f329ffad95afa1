// SPDX-License-Identifier: Apache-2.0
// What a socket says of itself.
#pragma once

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "os/system_call.h"

namespace weft::os {

// An option of SOL_SOCKET that is a number; 0 for what is no socket.
inline int socket_option(int descriptor, int option) noexcept {
  int value = 0;
  unsigned value_bytes = sizeof(value);
  call(SYS_getsockopt, descriptor, SOL_SOCKET, option, &value, &value_bytes);
  return value;
}

// Whether a TCP connection has a layer on it (TCP_ULP), which gives what is read in records.
inline bool has_layer(int descriptor) noexcept {
  char name[16];  // as long as the kernel's may be
  unsigned name_bytes = sizeof(name);
  const long error = call(SYS_getsockopt, descriptor, IPPROTO_TCP, TCP_ULP, name, &name_bytes);
  return error == 0 && name_bytes != 0;
}

// How long a call on the socket may take (SO_RCVTIMEO, SO_SNDTIMEO); zero: as long as it does.
inline std::chrono::microseconds socket_time_limit(int descriptor, int option) noexcept {
  timeval limit{};
  unsigned limit_bytes = sizeof(limit);
  if (call(SYS_getsockopt, descriptor, SOL_SOCKET, option, &limit, &limit_bytes) != 0) return {};
  constexpr std::int64_t most_seconds = 1'000'000'000;  // 31 years; many more would overflow
  return std::chrono::seconds{std::min<std::int64_t>(limit.tv_sec, most_seconds)} +
         std::chrono::microseconds{limit.tv_usec};
}

}  // namespace weft::os
