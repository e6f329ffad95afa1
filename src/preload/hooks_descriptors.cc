// SPDX-License-Identifier: Apache-2.0
// Descriptors that appear, change their number and go: the poller's books.
#include <dirent.h>
#include <mqueue.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>

#include <climits>
#include <cstdarg>
#include <cstdio>

#include "os/own_descriptors.h"
#include "os/system_call.h"
#include "preload/calls.h"
#include "preload/fortified.h"
#include "preload/open_descriptors.h"
#include "preload/real.h"
#include "preload/renewed.h"
#include "sched/io.h"

namespace weft::preload {
namespace {

// Libc's call, which frees or replaces the number; -1: there is none.
template <class Call>
auto closing(int descriptor, Call call) {
  if (descriptor >= 0) sched::Poller::begin_close_everywhere(descriptor);
  struct End {
    int descriptor;
    ~End() {
      if (descriptor >= 0) sched::Poller::end_close_everywhere(descriptor);
    }
  } const end{descriptor};
  return call();
}

bool is_open(int descriptor) {
  return os::call(SYS_fcntl, descriptor, F_GETFD) >= 0;
}

// Libc's call, which gives the number to another file.
template <class Call>
int replacing(int descriptor, int number, Call call) {
  if (descriptor == number || !is_open(descriptor)) return call();
  if (!os::OwnDescriptor::move_away(number)) return answer<int>(-EBADF);  // as beyond the limit
  return closing(number, call);
}

// Makes the kernel's call for all numbers of the range but ours; answers 0 or minus errno.
template <class Call>
long beside_our_own(unsigned first, unsigned last, Call call) {
  while (first <= last) {
    const int own = os::OwnDescriptor::next_own(first);
    if (own < 0 || static_cast<unsigned>(own) > last) break;
    const auto number = static_cast<unsigned>(own);
    if (number > first) {
      const long result = call(first, number - 1);
      if (result != 0) return result;
    }
    if (number == last) return 0;
    first = number + 1;
  }
  return call(first, last);
}

// The descriptor of a stream, or -1 for one without; leaves errno as it is.
int number_of(FILE* stream) {
  const int before = errno;
  const int descriptor = ::fileno(stream);
  errno = before;
  return descriptor;
}

// Opening a FIFO waits for the other side.
bool open_waits(int directory, const char* path, int flags) {
  if ((flags & (O_NONBLOCK | O_PATH | O_DIRECTORY)) != 0 || (flags & O_ACCMODE) == O_RDWR) {
    return false;
  }
  struct stat status {};
  return os::call(SYS_newfstatat, directory, path, &status, 0) == 0 && S_ISFIFO(status.st_mode);
}

// By the kernel itself: libc's function could end a cancelled thread where it is.
int open_at(int directory, const char* path, int flags, mode_t mode) {
  if (is_fiber() && open_waits(directory, path, flags)) {
    return renewed(home_call("open of a FIFO",
                             [&] { return WEFT_REAL(openat)(directory, path, flags, mode); }));
  }
  return renewed(blocking_call([&] { return os::call(SYS_openat, directory, path, flags, mode); },
                               [&] { return WEFT_REAL(openat)(directory, path, flags, mode); }));
}

// The argument after the flags, where they say that there is one.
#define WEFT_MODE_AFTER(flags)                                      \
  mode_t mode = 0;                                                  \
  if (((flags)&O_CREAT) != 0 || ((flags)&O_TMPFILE) == O_TMPFILE) { \
    va_list list;                                                   \
    va_start(list, flags);                                          \
    mode = va_arg(list, mode_t);                                    \
    va_end(list);                                                   \
  }

}  // namespace
}  // namespace weft::preload

using namespace weft;
using namespace weft::preload;

extern "C" {

int open(const char* path, int flags, ...) {
  WEFT_MODE_AFTER(flags)
  return open_at(AT_FDCWD, path, flags, mode);
}

int open64(const char* path, int flags, ...) __attribute__((alias("open")));

int openat(int directory, const char* path, int flags, ...) {
  WEFT_MODE_AFTER(flags)
  return open_at(directory, path, flags, mode);
}

int openat64(int directory, const char* path, int flags, ...) __attribute__((alias("openat")));

int creat(const char* path, mode_t mode) {
  return open_at(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}

int creat64(const char* path, mode_t mode) {
  return creat(path, mode);
}

// Libc ends the process where a mode is missing.

int __open_2(const char* path, int flags) {
  if ((flags & O_CREAT) != 0) return WEFT_REAL(__open_2)(path, flags);
  return open(path, flags);
}

int __open64_2(const char* path, int flags) {
  return __open_2(path, flags);
}

int __openat_2(int directory, const char* path, int flags) {
  if ((flags & O_CREAT) != 0) return WEFT_REAL(__openat_2)(directory, path, flags);
  return openat(directory, path, flags);
}

int __openat64_2(int directory, const char* path, int flags) {
  return __openat_2(directory, path, flags);
}

int socket(int domain, int type, int protocol) noexcept {
  return renewed(WEFT_REAL(socket)(domain, type, protocol));
}

int socketpair(int domain, int type, int protocol, int ends[2]) noexcept {
  return both_renewed(WEFT_REAL(socketpair)(domain, type, protocol, ends), ends);
}

int pipe(int ends[2]) noexcept {
  return both_renewed(WEFT_REAL(pipe)(ends), ends);
}

int pipe2(int ends[2], int flags) noexcept {
  return both_renewed(WEFT_REAL(pipe2)(ends, flags), ends);
}

int eventfd(unsigned count, int flags) noexcept {
  return renewed(WEFT_REAL(eventfd)(count, flags));
}

int epoll_create(int size) noexcept {
  return renewed(WEFT_REAL(epoll_create)(size));
}

int epoll_create1(int flags) noexcept {
  return renewed(WEFT_REAL(epoll_create1)(flags));
}

int timerfd_create(clockid_t clock, int flags) noexcept {
  return renewed(WEFT_REAL(timerfd_create)(clock, flags));
}

int signalfd(int descriptor, const sigset_t* mask, int flags) noexcept {
  const int result = WEFT_REAL(signalfd)(descriptor, mask, flags);
  if (result >= 0) note_signalfd(bits_of(*mask));
  return descriptor == -1 ? renewed(result) : result;
}

int inotify_init() noexcept {
  return renewed(WEFT_REAL(inotify_init)());
}

int inotify_init1(int flags) noexcept {
  return renewed(WEFT_REAL(inotify_init1)(flags));
}

int memfd_create(const char* name, unsigned flags) noexcept {
  return renewed(WEFT_REAL(memfd_create)(name, flags));
}

int dup(int descriptor) noexcept {
  return renewed(WEFT_REAL(dup)(descriptor));
}

int dup2(int descriptor, int number) noexcept {
  return replacing(descriptor, number, [&] { return WEFT_REAL(dup2)(descriptor, number); });
}

int dup3(int descriptor, int number, int flags) noexcept {
  return replacing(descriptor, number, [&] { return WEFT_REAL(dup3)(descriptor, number, flags); });
}

int close_range(unsigned first, unsigned last, int flags) noexcept {
  if (flags == 0 && first <= last) {
    for_each_open_descriptor(first, last, [](int descriptor) {
      if (!os::OwnDescriptor::is_own(descriptor)) sched::close(descriptor);
    });
  }
  const auto call = [flags](unsigned from, unsigned to) {
    return os::call(SYS_close_range, from, to, flags);
  };
  if (flags == 0) return answer<int>(beside_our_own(first, last, call));
  // The flags may be about the calling thread's own table.
  return uncancelled_home_call("close_range",
                               [&] { return answer<int>(beside_our_own(first, last, call)); });
}

void closefrom(int first) noexcept {
  close_range(first < 0 ? 0 : static_cast<unsigned>(first), UINT_MAX, 0);
}

// A full socket of AF_UNIX is no more ready to be written to, but who waits for room shall fail.
int shutdown(int descriptor, int how) noexcept {
  const int result = WEFT_REAL(shutdown)(descriptor, how);
  sched::Poller::stir_everywhere(descriptor);
  return result;
}

// Buffers are written first, which may wait.
int fclose(FILE* stream) {
  return closing(number_of(stream),
                 [&] { return home_call("fclose", [&] { return WEFT_REAL(fclose)(stream); }); });
}

FILE* freopen(const char* path, const char* mode, FILE* stream) {
  return closing(number_of(stream), [&] {
    return home_call("freopen", [&] { return WEFT_REAL(freopen)(path, mode, stream); });
  });
}

FILE* freopen64(const char* path, const char* mode, FILE* stream) {
  return freopen(path, mode, stream);
}

int closedir(DIR* directory) {
  return closing(::dirfd(directory), [&] { return WEFT_REAL(closedir)(directory); });
}

int mq_close(mqd_t queue) noexcept {
  return closing(queue, [&] { return WEFT_REAL(mq_close)(queue); });
}

}  // extern "C"
