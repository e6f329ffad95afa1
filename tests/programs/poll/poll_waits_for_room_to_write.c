// SPDX-License-Identifier: Apache-2.0
// poll for POLLOUT waits while pipe and socket are full, until the reader made room.
#include "../io_support.h"

#include <poll.h>

static int ends[2];

static void* drain_later(void* unused) {
  (void)unused;
  let_it_block();
  static char block[1 << 20];
  CHECK(fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0);
  while (read(ends[0], block, sizeof block) > 0) continue;
  return NULL;
}

static void fill_and_wait(const char* kind) {
  static char block[4096];
  CHECK(fcntl(ends[1], F_SETFL, O_NONBLOCK | O_WRONLY) == 0);
  while (write(ends[1], block, sizeof block) > 0) continue;
  CHECK(errno == EAGAIN);
  struct pollfd wanted = {.fd = ends[1], .events = POLLOUT};
  CHECK(poll(&wanted, 1, 0) == 0);
  const pthread_t drainer = start(drain_later, NULL);
  CHECK(poll(&wanted, 1, -1) == 1);
  printf("%s: POLLOUT %d\n", kind, wanted.revents == POLLOUT);
  finish(drainer);
  close(ends[0]);
  close(ends[1]);
}

static void body(void) {
  CHECK(pipe(ends) == 0);
  fill_and_wait("pipe");
  CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  fill_and_wait("socket");
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
