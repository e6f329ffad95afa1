// SPDX-License-Identifier: Apache-2.0
// O_NONBLOCK set and cleared by fcntl makes reads and writes fail with EAGAIN, then wait again.
#include "../io_support.h"

static int ends[2];

static void* write_later(void* unused) {
  (void)unused;
  let_it_block();
  CHECK(write(ends[1], "late", 4) == 4);
  return NULL;
}

static void body(void) {
  char buffer[4096] = {0};
  CHECK(pipe(ends) == 0);
  CHECK(fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0);
  show("empty", read(ends[0], buffer, sizeof buffer));
  CHECK(fcntl(ends[0], F_SETFL, 0) == 0);
  const pthread_t writer = start(write_later, NULL);
  show("waited", read(ends[0], buffer, sizeof buffer));
  finish(writer);
  CHECK(fcntl(ends[1], F_SETFL, fcntl(ends[1], F_GETFL) | O_NONBLOCK) == 0);
  while (write(ends[1], buffer, sizeof buffer) > 0) continue;
  show("full", write(ends[1], buffer, sizeof buffer));
  close(ends[0]);
  close(ends[1]);
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
