// SPDX-License-Identifier: Apache-2.0
// Reads, writes, and the end of a descriptor.
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdarg>

#include "os/own_descriptors.h"
#include "preload/calls.h"
#include "preload/file_calls.h"
#include "preload/real.h"
#include "sched/files.h"
#include "sched/io.h"

using namespace weft;
using namespace weft::preload;

extern "C" {

ssize_t read(int descriptor, void* buffer, size_t bytes) {
  return blocking_call([&] { return sched::read(descriptor, buffer, bytes); },
                       [&] { return WEFT_REAL(read)(descriptor, buffer, bytes); });
}

ssize_t write(int descriptor, const void* buffer, size_t bytes) {
  const auto libcs = [&] { return WEFT_REAL(write)(descriptor, buffer, bytes); };
  return unless_too_big(
      writing_call([&] { return sched::write(descriptor, buffer, bytes); }, libcs), libcs);
}

ssize_t pread(int descriptor, void* buffer, size_t bytes, off_t offset) {
  return blocking_call([&] { return sched::read_at(descriptor, buffer, bytes, offset); },
                       [&] { return WEFT_REAL(pread)(descriptor, buffer, bytes, offset); });
}

ssize_t pread64(int descriptor, void* buffer, size_t bytes, off64_t offset) {
  return pread(descriptor, buffer, bytes, offset);
}

ssize_t pwrite(int descriptor, const void* buffer, size_t bytes, off_t offset) {
  const auto libcs = [&] { return WEFT_REAL(pwrite)(descriptor, buffer, bytes, offset); };
  return unless_too_big(
      blocking_call([&] { return sched::write_at(descriptor, buffer, bytes, offset); }, libcs),
      libcs);
}

ssize_t pwrite64(int descriptor, const void* buffer, size_t bytes, off64_t offset) {
  return pwrite(descriptor, buffer, bytes, offset);
}

int fsync(int descriptor) {
  return blocking_call([&] { return sched::synchronize(descriptor); },
                       [&] { return WEFT_REAL(fsync)(descriptor); });
}

int fdatasync(int descriptor) {
  return blocking_call([&] { return sched::synchronize_data(descriptor); },
                       [&] { return WEFT_REAL(fdatasync)(descriptor); });
}

int sync_file_range(int descriptor, off64_t offset, off64_t bytes, unsigned flags) {
  return blocking_call(
      [&] { return sched::synchronize_range(descriptor, offset, bytes, flags); },
      [&] { return WEFT_REAL(sync_file_range)(descriptor, offset, bytes, flags); });
}

int close(int descriptor) {
  if (os::OwnDescriptor::is_own(descriptor)) return answer<int>(-EBADF);
  return answer<int>(sched::close(descriptor));
}

// Every argument that a command takes fits a word.
int fcntl(int descriptor, int command, ...) {
  va_list list;
  va_start(list, command);
  void* const argument = va_arg(list, void*);
  va_end(list);
  if (os::OwnDescriptor::is_own(descriptor)) return answer<int>(-EBADF);
  const auto call = [&] { return WEFT_REAL(fcntl)(descriptor, command, argument); };
  if (command == F_SETLKW || command == F_OFD_SETLKW) return home_call("F_SETLKW", call);
  const int result = call();
  if (command == F_SETFL) sched::Poller::limits_changed();
  return result;
}

int fcntl64(int descriptor, int command, ...) __attribute__((alias("fcntl")));

int ioctl(int descriptor, unsigned long request, ...) noexcept {
  va_list list;
  va_start(list, request);
  void* const argument = va_arg(list, void*);
  va_end(list);
  const int result = WEFT_REAL(ioctl)(descriptor, request, argument);
  if (request == FIONBIO) sched::Poller::limits_changed();
  return result;
}

}  // extern "C"
