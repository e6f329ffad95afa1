// SPDX-License-Identifier: Apache-2.0
// poll on a process descriptor waits for the child to end; waitid takes its code by it.
#include "../io_support.h"

#include <poll.h>
#include <sys/pidfd.h>

static void body(void) {
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    usleep(30000);
    _exit(17);
  }
  const int fd = pidfd_open(child, 0);
  CHECK(fd >= 0);
  struct pollfd wanted = {.fd = fd, .events = POLLIN};
  show("poll", poll(&wanted, 1, -1));
  siginfo_t info;
  CHECK(waitid(P_PIDFD, (id_t)fd, &info, WEXITED) == 0);
  printf("code %d\n", info.si_status);
  close(fd);
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
