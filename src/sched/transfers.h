// SPDX-License-Identifier: Apache-2.0
// Transfers that do not wait, and what a descriptor says of itself.
#pragma once

#include <poll.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include <asm/errno.h>
#include <cstddef>

#include "os/system_call.h"

namespace weft::sched {

// Files of a disk: a read of them is short at their end only, and they are always ready to poll.
bool is_on_disk(int descriptor) noexcept;

// Whether the call could be made now without blocking; asked of what knows no other way.
bool is_ready_now(int descriptor, short events) noexcept;

bool has_nonblock(int descriptor) noexcept;

// Whether a read of a raw terminal ends when some time is over (VTIME), which poll knows nothing
// of: such a one blocks, at home, and never for long.
bool ends_by_time(int descriptor, bool is_ready) noexcept;

inline constexpr off_t own_position = -1;

// preadv2 or pwritev2, at the file's own position or at an offset. -EAGAIN: it would have waited;
// -EOPNOTSUPP: what this is does not say.
inline long transfer_now(long number, int descriptor, const iovec* vectors, std::size_t count,
                         off_t offset) noexcept {
  constexpr long nowait = 0x8;  // RWF_NOWAIT
  return os::call(number, descriptor, vectors, count, offset, offset < 0 ? -1L : 0L, nowait);
}

// A read of what has no form that does not wait. -EAGAIN and -EOPNOTSUPP are as above.
template <class Take>
long read_if_ready(int descriptor, Take take) {
  const bool ready = is_ready_now(descriptor, POLLIN);
  if (ends_by_time(descriptor, ready)) return -EOPNOTSUPP;
  // A FIFO that nobody writes to is at its end, and not ready.
  return ready || has_nonblock(descriptor) ? take() : long{-EAGAIN};
}

// What a call that goes on until all is done answers when it ends before.
inline long done_or(std::size_t done, long result) noexcept {
  return done != 0 ? static_cast<long>(done) : result;
}

}  // namespace weft::sched
