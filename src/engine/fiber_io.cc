// SPDX-License-Identifier: Apache-2.0
// <weft/fiber_io.h>: results as POSIX has them.
#include <weft/fiber_io.h>

#include <cerrno>

#include "sched/files.h"
#include "sched/io.h"

namespace weft::fiber_io {
namespace {

// Minus errno becomes -1 and errno.
template <class Result>
Result posix(long result) noexcept {
  if (result >= 0) return static_cast<Result>(result);
  errno = static_cast<int>(-result);
  return Result{-1};
}

}  // namespace

ssize_t read(int descriptor, void* buffer, std::size_t bytes) noexcept {
  return posix<ssize_t>(sched::read(descriptor, buffer, bytes));
}
ssize_t write(int descriptor, const void* buffer, std::size_t bytes) noexcept {
  return posix<ssize_t>(sched::write(descriptor, buffer, bytes));
}
ssize_t recv(int descriptor, void* buffer, std::size_t bytes, int flags) noexcept {
  return posix<ssize_t>(sched::receive(descriptor, buffer, bytes, flags));
}
ssize_t send(int descriptor, const void* buffer, std::size_t bytes, int flags) noexcept {
  return posix<ssize_t>(sched::send(descriptor, buffer, bytes, flags));
}
int accept4(int descriptor, sockaddr* address, socklen_t* address_bytes, int flags) noexcept {
  return posix<int>(sched::accept(descriptor, address, address_bytes, flags));
}
int connect(int descriptor, const sockaddr* address, socklen_t address_bytes) noexcept {
  return posix<int>(sched::connect(descriptor, address, address_bytes));
}
int setsockopt(int descriptor, int level, int option, const void* value,
               socklen_t value_bytes) noexcept {
  return posix<int>(sched::set_option(descriptor, level, option, value, value_bytes));
}
int close(int descriptor) noexcept {
  return posix<int>(sched::close(descriptor));
}
int poll(pollfd* descriptors, std::size_t count, std::chrono::milliseconds timeout) noexcept {
  const os::Instant deadline =
      timeout.count() < 0 ? os::never : os::MonotonicClock::now() + timeout;
  return posix<int>(sched::poll(descriptors, count, deadline));
}
ssize_t pread(int descriptor, void* buffer, std::size_t bytes, off_t offset) noexcept {
  return posix<ssize_t>(sched::read_at(descriptor, buffer, bytes, offset));
}
ssize_t pwrite(int descriptor, const void* buffer, std::size_t bytes, off_t offset) noexcept {
  return posix<ssize_t>(sched::write_at(descriptor, buffer, bytes, offset));
}
int fsync(int descriptor) noexcept {
  return posix<int>(sched::synchronize(descriptor));
}

}  // namespace weft::fiber_io
