// SPDX-License-Identifier: Apache-2.0
// preadv2 and pwritev2 with offset -1 act at the position, on files and, waiting, on pipes.
#include "../io_support.h"

#include <sys/uio.h>

static int ends[2];

static void* write_later(void* unused) {
  (void)unused;
  let_it_block();
  char text[] = "late";
  struct iovec part = {text, 4};
  CHECK(pwritev2(ends[1], &part, 1, -1, 0) == 4);
  return NULL;
}

static void body(void) {
  char buffer[9] = "";
  struct iovec part = {buffer, 8};
  CHECK(pipe(ends) == 0);
  const pthread_t writer = start(write_later, NULL);
  show("pipe", preadv2(ends[0], &part, 1, -1, 0));
  printf("%s\n", buffer);
  finish(writer);
  show("pipe at an offset", preadv2(ends[0], &part, 1, 4, 0));
  close(ends[0]);
  close(ends[1]);

  const int fd = temporary_file();
  show("write", pwritev2(fd, &part, 1, -1, RWF_DSYNC));
  show("append", pwritev2(fd, &part, 1, 0, RWF_APPEND));
  show("position", lseek(fd, 0, SEEK_CUR));
  show("read", preadv2(fd, &part, 1, -1, 0));
  show("read64", preadv64v2(fd, &part, 1, 12, 0));
  show("unknown flag", preadv2(fd, &part, 1, 0, 0x40000000));
  close(fd);
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
