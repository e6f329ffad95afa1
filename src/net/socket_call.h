// SPDX-License-Identifier: Apache-2.0
// receive() and send(), which do not wait.
//
// They call the kernel without libc, whose calls are places where a thread can be cancelled, which
// costs two exchanges each. Nobody cancels our threads, and a request takes two such calls.
#pragma once

#include <sys/socket.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>
#include <span>
#include <string_view>

#include "os/system_call.h"

namespace weft::net {

// Both answer how much was moved, or minus errno; a signal does not end them.
inline long receive(int socket, std::span<char> room) noexcept {
  for (;;) {
    const long result =
        os::call(SYS_recvfrom, socket, room.data(), room.size(), MSG_DONTWAIT, nullptr, nullptr);
    if (result != -EINTR) return result;
  }
}

inline long send(int socket, std::string_view bytes) noexcept {
  for (;;) {
    const long result = os::call(SYS_sendto, socket, bytes.data(), bytes.size(),
                                 MSG_DONTWAIT | MSG_NOSIGNAL, nullptr, 0);
    if (result != -EINTR) return result;
  }
}

}  // namespace weft::net
