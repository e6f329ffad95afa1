// SPDX-License-Identifier: Apache-2.0
// Files: from the cache, through the ring, or at home.
#include "sched/files.h"

#include <fcntl.h>
#include <linux/io_uring.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <optional>

#include "base/atomic.h"
#include "os/clock.h"
#include "os/system_call.h"
#include "sched/io.h"
#include "sched/runtime.h"
#include "sched/thread.h"
#include "sched/transfers.h"

namespace weft::sched {
namespace {

// As much as the kernel moves in one call.
constexpr std::size_t most_bytes = 0x7fff'f000;

// A transfer by a call that takes vectors.
long transfer(long number, int descriptor, const iovec* vectors, std::size_t count, off_t offset) {
  return os::call(number, descriptor, vectors, count, offset, 0);
}

long read_cached(int descriptor, const iovec* vectors, std::size_t count, off_t offset) {
  return transfer_now(SYS_preadv2, descriptor, vectors, count, offset);
}

bool needs_device(long result) {
  return result == -EAGAIN || result == -EOPNOTSUPP;
}

// A pipe may have O_DIRECT, too.
bool was_opened_with(int descriptor, long any_of) {
  const long flags = os::call(SYS_fcntl, descriptor, F_GETFL);
  return flags > 0 && (flags & any_of) != 0 && is_on_disk(descriptor);
}

// Whether it bypasses the cache: then RWF_NOWAIT does not keep a read from waiting for the device.
// Only reads of whole blocks can.
bool bypasses_cache(int descriptor, std::size_t bytes, off_t offset) {
  constexpr std::size_t least_block = 512;
  const bool whole_blocks = (bytes | static_cast<std::size_t>(offset)) % least_block == 0;
  return whole_blocks && was_opened_with(descriptor, O_DIRECT);
}

io_uring_sqe request_for(std::uint8_t operation, int descriptor) {
  io_uring_sqe request{};
  request.opcode = operation;
  request.fd = descriptor;
  return request;
}

io_uring_sqe request_for(std::uint8_t operation, int descriptor, const iovec* vectors,
                         std::size_t count, off_t offset) {
  io_uring_sqe request = request_for(operation, descriptor);
  request.addr = reinterpret_cast<std::uintptr_t>(vectors);
  request.len = static_cast<std::uint32_t>(count);
  request.off = static_cast<std::uint64_t>(offset);
  return request;
}

// Who runs at home in place of a worker makes the call there.
template <class Call>
long by_ring_or_home(const char* site, const io_uring_sqe& request, Call call) {
  fiber::Fiber& self = fiber::self();
  if (!self.is_home()) {
    if (const std::optional<long> result = self.runtime->files().perform(request)) return *result;
  }
  return at_home(site, call);
}

// Whether the caller is a fiber. It may find all it wants in the cache, for ever.
bool is_away() {
  fiber::Fiber& self = fiber::self();
  if (!self.is_home()) give_way(self);
  return counts_as_away(self);
}

// Until when writes to the cache are made at home.
constinit atomic<os::Instant::rep> slow_until{os::Instant::min().time_since_epoch().count()};

bool writes_are_slow(os::Instant now) {
  return now.time_since_epoch().count() < slow_until.load(std::memory_order_relaxed);
}

// How often the calling kernel thread has stopped by itself: for a device, a lock, a journal.
long stops() {
  rusage used{};
  os::call(SYS_getrusage, RUSAGE_THREAD, &used);
  return used.ru_nvcsw;
}

// Makes the call on the carrier, and learns whether it had to wait for long. That the kernel has
// given the CPU to others meanwhile does not count.
template <class Call>
long write_on_carrier(os::Instant now, Call call) {
  constexpr auto slow = std::chrono::milliseconds{1};
  constexpr auto time_at_home = std::chrono::milliseconds{50};
  const long stops_before = stops();
  const long result = call();
  const os::Instant end = os::MonotonicClock::now();
  if (end - now > slow && stops() != stops_before) {
    slow_until.store((end + time_at_home).time_since_epoch().count(), std::memory_order_relaxed);
  }
  return result;
}

// Some of it, which is what is in the cache, or else all of it up to the end of the file.
long read_some_at(int descriptor, const iovec& rest, off_t offset) {
  if (!bypasses_cache(descriptor, rest.iov_len, offset)) {
    const long result = read_cached(descriptor, &rest, 1, offset);
    if (!needs_device(result)) return result;
  }
  return by_ring_or_home("pread", request_for(IORING_OP_READV, descriptor, &rest, 1, offset), [&] {
    return os::call(SYS_pread64, descriptor, rest.iov_base, rest.iov_len, offset);
  });
}

bool ends_at(int descriptor, off_t offset) {
  char byte = 0;
  const iovec vector{&byte, 1};
  return read_cached(descriptor, &vector, 1, offset) == 0;
}

std::size_t bytes_of(const iovec* vectors, std::size_t count) {
  std::size_t sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += vectors[i].iov_len;
  return std::min(sum, most_bytes);
}

}  // namespace

long read_at(int descriptor, void* buffer, std::size_t bytes, off_t offset) {
  if (offset < 0 || bytes == 0 || !is_away()) {
    return os::call(SYS_pread64, descriptor, buffer, bytes, offset);
  }
  auto* const data = static_cast<std::byte*>(buffer);
  bytes = std::min(bytes, most_bytes);
  std::size_t done = 0;
  while (done < bytes) {
    const iovec rest{data + done, bytes - done};
    const long result = read_some_at(descriptor, rest, offset + static_cast<off_t>(done));
    if (result < 0 && done == 0) return result;
    if (result <= 0) break;
    done += static_cast<std::size_t>(result);
  }
  return static_cast<long>(done);
}

long read_vector_at(int descriptor, const iovec* vectors, std::size_t count, off_t offset) {
  const auto plainly = [&] { return transfer(SYS_preadv, descriptor, vectors, count, offset); };
  if (offset < 0 || !is_away()) return plainly();
  if (!was_opened_with(descriptor, O_DIRECT)) {
    const long cached = read_cached(descriptor, vectors, count, offset);
    if (cached <= 0 && !needs_device(cached)) return cached;
    if (cached > 0) {
      const bool all = static_cast<std::size_t>(cached) >= bytes_of(vectors, count);
      if (all || ends_at(descriptor, offset + cached)) return cached;
    }
  }
  // All of it anew.
  return by_ring_or_home("preadv", request_for(IORING_OP_READV, descriptor, vectors, count, offset),
                         plainly);
}

long write_vector_at(int descriptor, const iovec* vectors, std::size_t count, off_t offset) {
  const auto plainly = [&] { return transfer(SYS_pwritev, descriptor, vectors, count, offset); };
  if (offset < 0 || !is_away()) return plainly();
  if (was_opened_with(descriptor, O_DIRECT | O_DSYNC)) {
    return by_ring_or_home(
        "pwrite", request_for(IORING_OP_WRITEV, descriptor, vectors, count, offset), plainly);
  }
  const os::Instant now = os::MonotonicClock::now();
  return writes_are_slow(now) ? at_home("pwrite", plainly) : write_on_carrier(now, plainly);
}

std::optional<long> write_to_cache(int descriptor, const iovec* vectors, std::size_t count) {
  const os::Instant now = os::MonotonicClock::now();
  if (writes_are_slow(now) || was_opened_with(descriptor, O_DIRECT | O_DSYNC)) return std::nullopt;
  return write_on_carrier(now, [&] { return os::call(SYS_writev, descriptor, vectors, count); });
}

long write_at(int descriptor, const void* buffer, std::size_t bytes, off_t offset) {
  if (offset < 0) return -EINVAL;
  const iovec vector{const_cast<void*>(buffer), bytes};
  return write_vector_at(descriptor, &vector, 1, offset);
}

long synchronize(int descriptor) {
  const auto plainly = [&] { return os::call(SYS_fsync, descriptor); };
  if (!is_away()) return plainly();
  return by_ring_or_home("fsync", request_for(IORING_OP_FSYNC, descriptor), plainly);
}

long synchronize_data(int descriptor) {
  const auto plainly = [&] { return os::call(SYS_fdatasync, descriptor); };
  if (!is_away()) return plainly();
  io_uring_sqe request = request_for(IORING_OP_FSYNC, descriptor);
  request.fsync_flags = IORING_FSYNC_DATASYNC;
  return by_ring_or_home("fdatasync", request, plainly);
}

long synchronize_range(int descriptor, off_t offset, off_t bytes, unsigned flags) {
  const auto plainly = [&] {
    return os::call(SYS_sync_file_range, descriptor, offset, bytes, flags);
  };
  if (!is_away()) return plainly();
  if (bytes < 0 || bytes > std::numeric_limits<std::uint32_t>::max()) {
    return at_home("sync_file_range", plainly);
  }
  io_uring_sqe request = request_for(IORING_OP_SYNC_FILE_RANGE, descriptor);
  request.off = static_cast<std::uint64_t>(offset);
  request.len = static_cast<std::uint32_t>(bytes);
  request.sync_range_flags = flags;
  return by_ring_or_home("sync_file_range", request, plainly);
}

}  // namespace weft::sched
