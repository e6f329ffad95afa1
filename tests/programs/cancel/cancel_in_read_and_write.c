// SPDX-License-Identifier: Apache-2.0
// read and readv of an empty pipe, and write and writev to a full one, are cancellation points.

#include "support.h"

#include <fcntl.h>
#include <sys/uio.h>

#include "cancelling.h"

static int empty[2], full[2];
static char byte;
static struct iovec vector = {&byte, 1};

static void in_read(void) {
  CHECK(read(empty[0], &byte, 1) == 99);
}
static void in_readv(void) {
  CHECK(readv(empty[0], &vector, 1) == 99);
}
static void in_write(void) {
  CHECK(write(full[1], &byte, 1) == 99);
}
static void in_writev(void) {
  CHECK(writev(full[1], &vector, 1) == 99);
}

int main(void) {
  OK(pipe(empty));
  OK(pipe(full));
  OK(fcntl(full[1], F_SETFL, O_NONBLOCK));
  char block[4096] = {0};
  while (write(full[1], block, sizeof block) > 0) {
  }
  CHECK(errno == EAGAIN);
  OK(fcntl(full[1], F_SETFL, 0));
  cancel_in("read", in_read);
  cancel_in("readv", in_readv);
  cancel_in("write", in_write);
  cancel_in("writev", in_writev);
  return 0;
}
