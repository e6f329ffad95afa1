// SPDX-License-Identifier: Apache-2.0
// SIGPIPE, kept away.
#pragma once

#include <pthread.h>
#include <signal.h>

namespace weft::os {

// From the calling thread. sendfile(2), and OpenSSL where it writes, raise it for a peer that is
// gone, and know no other way to be told.
inline void block_broken_pipe() noexcept {
  sigset_t signals;
  ::sigemptyset(&signals);
  ::sigaddset(&signals, SIGPIPE);
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

}  // namespace weft::os
