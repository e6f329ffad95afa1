// SPDX-License-Identifier: Apache-2.0
// Reads and writes of several buffers or messages, and the fortified forms of all reads.
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "os/system_call.h"
#include "preload/calls.h"
#include "preload/durations.h"
#include "preload/file_calls.h"
#include "preload/fortified.h"
#include "preload/real.h"
#include "sched/files.h"
#include "sched/io.h"

namespace weft::preload {
namespace {

std::size_t size_of(int count) {
  return static_cast<std::size_t>(count);  // a negative one is the kernel's to refuse
}

bool goes_home(int flags) {
  return flags != 0 && (flags & RWF_NOWAIT) == 0;
}

}  // namespace
}  // namespace weft::preload

using namespace weft;
using namespace weft::preload;

extern "C" {

ssize_t readv(int descriptor, const iovec* vectors, int count) {
  return blocking_call([&] { return sched::read_vector(descriptor, vectors, size_of(count)); },
                       [&] { return WEFT_REAL(readv)(descriptor, vectors, count); });
}

ssize_t writev(int descriptor, const iovec* vectors, int count) {
  const auto libcs = [&] { return WEFT_REAL(writev)(descriptor, vectors, count); };
  return unless_too_big(
      writing_call([&] { return sched::write_vector(descriptor, vectors, size_of(count)); }, libcs),
      libcs);
}

ssize_t preadv(int descriptor, const iovec* vectors, int count, off_t offset) {
  return blocking_call(
      [&] { return sched::read_vector_at(descriptor, vectors, size_of(count), offset); },
      [&] { return WEFT_REAL(preadv)(descriptor, vectors, count, offset); });
}

ssize_t preadv64(int descriptor, const iovec* vectors, int count, off64_t offset) {
  return preadv(descriptor, vectors, count, offset);
}

ssize_t pwritev(int descriptor, const iovec* vectors, int count, off_t offset) {
  const auto libcs = [&] { return WEFT_REAL(pwritev)(descriptor, vectors, count, offset); };
  const auto ours = [&] {
    return sched::write_vector_at(descriptor, vectors, size_of(count), offset);
  };
  return unless_too_big(blocking_call(ours, libcs), libcs);
}

ssize_t pwritev64(int descriptor, const iovec* vectors, int count, off64_t offset) {
  return pwritev(descriptor, vectors, count, offset);
}

ssize_t preadv2(int descriptor, const iovec* vectors, int count, off_t offset, int flags) {
  const auto call = [&] { return WEFT_REAL(preadv2)(descriptor, vectors, count, offset, flags); };
  if (flags == 0) {
    return offset == -1 ? readv(descriptor, vectors, count)
                        : preadv(descriptor, vectors, count, offset);
  }
  if (goes_home(flags)) return home_call("preadv2", call);
  return blocking_call(
      [&] { return os::call(SYS_preadv2, descriptor, vectors, count, offset, 0, flags); }, call);
}

ssize_t preadv64v2(int descriptor, const iovec* vectors, int count, off64_t offset, int flags) {
  return preadv2(descriptor, vectors, count, offset, flags);
}

ssize_t pwritev2(int descriptor, const iovec* vectors, int count, off_t offset, int flags) {
  const auto call = [&] { return WEFT_REAL(pwritev2)(descriptor, vectors, count, offset, flags); };
  if (flags == 0) {
    return offset == -1 ? writev(descriptor, vectors, count)
                        : pwritev(descriptor, vectors, count, offset);
  }
  if (goes_home(flags)) return home_call("pwritev2", call);
  return blocking_call(
      [&] { return os::call(SYS_pwritev2, descriptor, vectors, count, offset, 0, flags); }, call);
}

ssize_t pwritev64v2(int descriptor, const iovec* vectors, int count, off64_t offset, int flags) {
  return pwritev2(descriptor, vectors, count, offset, flags);
}

int sendmmsg(int descriptor, mmsghdr* messages, unsigned count, int flags) {
  return blocking_call([&] { return sched::send_messages(descriptor, messages, count, flags); },
                       [&] { return WEFT_REAL(sendmmsg)(descriptor, messages, count, flags); });
}

int recvmmsg(int descriptor, mmsghdr* messages, unsigned count, int flags, timespec* time) {
  if (time != nullptr && !is_valid(*time)) return answer<int>(-EINVAL);
  const os::Instant deadline = time == nullptr ? os::never : deadline_in(*time);
  const int result = blocking_call(
      [&] { return sched::receive_messages(descriptor, messages, count, flags, deadline); },
      [&] { return WEFT_REAL(recvmmsg)(descriptor, messages, count, flags, time); });
  if (time != nullptr && result > 0 && is_fiber()) *time = left_until(deadline);
  return result;
}

int eventfd_read(int descriptor, eventfd_t* value) {
  return read(descriptor, value, sizeof(*value)) == sizeof(*value) ? 0 : -1;
}

int eventfd_write(int descriptor, eventfd_t value) {
  return write(descriptor, &value, sizeof(value)) == sizeof(value) ? 0 : -1;
}

// Libc ends the process where the buffer is too small.

ssize_t __read_chk(int descriptor, void* buffer, size_t bytes, size_t buffer_bytes) {
  if (bytes > buffer_bytes) WEFT_REAL(__read_chk)(descriptor, buffer, bytes, buffer_bytes);
  return read(descriptor, buffer, bytes);
}

ssize_t __pread_chk(int descriptor, void* buffer, size_t bytes, off_t offset, size_t buffer_bytes) {
  if (bytes > buffer_bytes) WEFT_REAL(__pread_chk)(descriptor, buffer, bytes, offset, buffer_bytes);
  return pread(descriptor, buffer, bytes, offset);
}

ssize_t __pread64_chk(int descriptor, void* buffer, size_t bytes, off64_t offset,
                      size_t buffer_bytes) {
  return __pread_chk(descriptor, buffer, bytes, offset, buffer_bytes);
}

ssize_t __recv_chk(int descriptor, void* buffer, size_t bytes, size_t buffer_bytes, int flags) {
  if (bytes > buffer_bytes) WEFT_REAL(__recv_chk)(descriptor, buffer, bytes, buffer_bytes, flags);
  return recv(descriptor, buffer, bytes, flags);
}

ssize_t __recvfrom_chk(int descriptor, void* buffer, size_t bytes, size_t buffer_bytes, int flags,
                       sockaddr* address, socklen_t* address_bytes) {
  if (bytes > buffer_bytes) {
    WEFT_REAL(__recvfrom_chk)
    (descriptor, buffer, bytes, buffer_bytes, flags, address, address_bytes);
  }
  return recvfrom(descriptor, buffer, bytes, flags, address, address_bytes);
}

}  // extern "C"
