// SPDX-License-Identifier: Apache-2.0
// ioctl(FIONBIO) turns waiting off and on, and shows in F_GETFL.
#include "../io_support.h"

#include <sys/ioctl.h>

static int ends[2];

static void* write_later(void* unused) {
  (void)unused;
  let_it_block();
  CHECK(write(ends[1], "late", 4) == 4);
  return NULL;
}

static void body(void) {
  char buffer[16];
  int on = 1, off = 0;
  CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  CHECK(ioctl(ends[0], FIONBIO, &on) == 0);
  show("on", read(ends[0], buffer, sizeof buffer));
  printf("O_NONBLOCK %d\n", (fcntl(ends[0], F_GETFL) & O_NONBLOCK) != 0);
  CHECK(ioctl(ends[0], FIONBIO, &off) == 0);
  printf("O_NONBLOCK %d\n", (fcntl(ends[0], F_GETFL) & O_NONBLOCK) != 0);
  const pthread_t writer = start(write_later, NULL);
  show("off", read(ends[0], buffer, sizeof buffer));
  finish(writer);
  close(ends[0]);
  close(ends[1]);
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
