// SPDX-License-Identifier: Apache-2.0
// Writing to a pipe whose reader is gone fails with EPIPE, also when the write was waiting.
#include "../io_support.h"

static int ends[2];

static void* close_reader(void* unused) {
  (void)unused;
  let_it_block();
  close(ends[0]);
  return NULL;
}

static void body(void) {
  char block[4096] = {0};
  CHECK(pipe2(ends, O_NONBLOCK) == 0);
  while (write(ends[1], block, sizeof block) > 0) continue;
  CHECK(errno == EAGAIN);
  CHECK(fcntl(ends[1], F_SETFL, O_WRONLY) == 0);
  const pthread_t closer = start(close_reader, NULL);
  show("waiting write", write(ends[1], block, sizeof block));
  finish(closer);
  show("later write", write(ends[1], block, 1));
  close(ends[1]);
}

int main(void) {
  signal(SIGPIPE, SIG_IGN);
  in_main_and_thread(body);
  return 0;
}
