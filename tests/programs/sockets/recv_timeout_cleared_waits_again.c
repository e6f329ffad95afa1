// SPDX-License-Identifier: Apache-2.0
// A receive timeout of zero means to wait for ever again, and a changed one holds for the next
// call.
#include "../io_support.h"

#include <sys/time.h>

static int ends[2];

static void* write_later(void* unused) {
  (void)unused;
  sleep_ms(60);
  CHECK(write(ends[1], "x", 1) == 1);
  return NULL;
}

static void set_timeout(int milliseconds) {
  const struct timeval timeout = {.tv_usec = milliseconds * 1000};
  CHECK(setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout) == 0);
}

static void body(void) {
  char byte;
  CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  set_timeout(20);
  show("short", recv(ends[0], &byte, 1, 0));
  set_timeout(0);
  const pthread_t writer = start(write_later, NULL);
  show("none", recv(ends[0], &byte, 1, 0));
  finish(writer);
  set_timeout(10);
  show("short again", recv(ends[0], &byte, 1, 0));
  const struct timeval wrong = {.tv_usec = 2000000};
  show("bad value", setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &wrong, sizeof wrong));
  close(ends[0]);
  close(ends[1]);
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
