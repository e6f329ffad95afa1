// SPDX-License-Identifier: Apache-2.0
// Numbers of descriptors that are new to the program. What the poller knew of them is forgotten, if
// libc or somebody else has closed the file that had the number before without telling.
#pragma once

#include <sys/socket.h>

#include <cstring>

#include "sched/poller.h"

namespace weft::preload {

// What a call has answered: such a number, or less than 0.
template <class Number>
Number renewed(Number descriptor) {
  if (descriptor >= 0) sched::Poller::renew_everywhere(static_cast<int>(descriptor));
  return descriptor;
}

inline int both_renewed(int result, const int* descriptors) {
  if (result == 0) {
    renewed(descriptors[0]);
    renewed(descriptors[1]);
  }
  return result;
}

// Those that came with a message, where the result says that there is one.
template <class Result>
Result received_renewed(Result result, const msghdr* message) {
  if (result < 0 || message->msg_controllen == 0) return result;
  auto* const whole = const_cast<msghdr*>(message);
  for (const cmsghdr* part = CMSG_FIRSTHDR(whole); part != nullptr;
       part = CMSG_NXTHDR(whole, const_cast<cmsghdr*>(part))) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int descriptor = 0;
      std::memcpy(&descriptor, CMSG_DATA(part) + i * sizeof(int), sizeof(int));
      renewed(descriptor);
    }
  }
  return result;
}

}  // namespace weft::preload
