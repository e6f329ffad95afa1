// SPDX-License-Identifier: Apache-2.0
// ioctl(FIONREAD) and FIONREAD after a wait tell how many bytes a pipe and a socket hold.
#include "../io_support.h"

#include <sys/ioctl.h>

static void* write_later(void* fd) {
  let_it_block();
  write_all(*(int*)fd, "0123456789", 10);
  return NULL;
}

static void count_on(int reading, int writing) {
  char byte;
  int held = -1;
  CHECK(ioctl(reading, FIONREAD, &held) == 0);
  printf("before %d\n", held);
  const pthread_t writer = start(write_later, &writing);
  CHECK(read(reading, &byte, 1) == 1);
  finish(writer);
  CHECK(ioctl(reading, FIONREAD, &held) == 0);
  printf("after %d\n", held);
  close(reading);
  close(writing);
}

static void body(void) {
  int ends[2];
  CHECK(pipe(ends) == 0);
  count_on(ends[0], ends[1]);
  CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  count_on(ends[0], ends[1]);
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
