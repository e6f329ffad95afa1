// SPDX-License-Identifier: Apache-2.0
// Questions to descriptors.
#include "sched/transfers.h"

#include <asm/ioctls.h>
#include <asm/termbits.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "os/poll_now.h"

namespace weft::sched {

bool is_on_disk(int descriptor) noexcept {
  struct stat status {};
  return os::call(SYS_fstat, descriptor, &status) == 0 &&
         (S_ISREG(status.st_mode) || S_ISBLK(status.st_mode));
}

bool is_ready_now(int descriptor, short events) noexcept {
  pollfd wanted{.fd = descriptor, .events = events, .revents = 0};
  return os::poll_now(&wanted, 1) > 0;
}

bool has_nonblock(int descriptor) noexcept {
  const long flags = os::call(SYS_fcntl, descriptor, F_GETFL);
  return flags >= 0 && (flags & O_NONBLOCK) != 0;
}

bool ends_by_time(int descriptor, bool is_ready) noexcept {
  termios settings{};
  if (os::call(SYS_ioctl, descriptor, TCGETS, &settings) != 0) return false;
  if ((settings.c_lflag & ICANON) != 0) return false;
  return settings.c_cc[VMIN] == 0 || (is_ready && settings.c_cc[VTIME] != 0);
}

}  // namespace weft::sched
