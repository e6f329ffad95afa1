// SPDX-License-Identifier: Apache-2.0
// What descriptors are ready for at this moment.
#pragma once

#include <poll.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>
#include <ctime>

#include "os/system_call.h"

namespace weft::os {

// As poll(2) with a time-out of zero. A signal to the calling thread interrupts even that in the
// kernel; it is not told here.
inline long poll_now(pollfd* descriptors, std::size_t count) noexcept {
  for (;;) {
    timespec at_once{};
    const long result = call(SYS_ppoll, descriptors, count, &at_once, nullptr, 0);
    if (result != -EINTR) return result;
  }
}

}  // namespace weft::os
