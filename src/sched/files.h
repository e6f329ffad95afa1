// SPDX-License-Identifier: Apache-2.0
// Files for fibers: reads and writes at an offset, and flushes, which may have to wait for a
// device.
//
// The ways of a call, the first that serves:
//   - at home, and in threads that never leave it, the call is simply made;
//   - a read takes what is in the cache (RWF_NOWAIT);
//   - a write to the cache is made where it is, as it seldom waits, unless such writes have lately
//     been slow: then it is made at home;
//   - what must wait for a device goes through the ring (file_ring.h);
//   - what the ring cannot take is made at home.
// Reads and writes at a file's own position are in io.h: for those the kernel locks the position
// over the call, which it does not through a ring.
// None is interrupted. Every function answers a result or minus errno.
#pragma once

#include <sys/types.h>
#include <sys/uio.h>

#include <cstddef>
#include <optional>

namespace weft::sched {

long read_at(int descriptor, void* buffer, std::size_t bytes, off_t offset);
long write_at(int descriptor, const void* buffer, std::size_t bytes, off_t offset);
// The vector is the program's, and may be anywhere.
long read_vector_at(int descriptor, const iovec* vectors, std::size_t count, off_t offset);
long write_vector_at(int descriptor, const iovec* vectors, std::size_t count, off_t offset);

// A write at the file's own position, to a file of a disk, where that is not expected to wait.
// Nothing: it is, and the caller makes the call at home.
std::optional<long> write_to_cache(int descriptor, const iovec* vectors, std::size_t count);

// As fsync(2), fdatasync(2), sync_file_range(2).
long synchronize(int descriptor);
long synchronize_data(int descriptor);
long synchronize_range(int descriptor, off_t offset, off_t bytes, unsigned flags);

}  // namespace weft::sched
