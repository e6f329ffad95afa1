// SPDX-License-Identifier: Apache-2.0
// A read returns what a pipe holds, less than asked for; after the last writer closed it returns 0.
// exits: 3
#include "../io_support.h"

static int ends[2];

static void* write_in_pieces(void* unused) {
  (void)unused;
  let_it_block();
  CHECK(write(ends[1], "three", 5) == 5);
  let_it_block();
  close(ends[1]);
  return NULL;
}

static void body(void) {
  char buffer[64];
  CHECK(pipe(ends) == 0);
  const pthread_t writer = start(write_in_pieces, NULL);
  show("first", read(ends[0], buffer, 3));
  show("rest", read(ends[0], buffer, sizeof buffer));
  show("blocked until the end", read(ends[0], buffer, sizeof buffer));
  show("again", read(ends[0], buffer, sizeof buffer));
  finish(writer);
  close(ends[0]);
}

int main(void) {
  in_main_and_thread(body);
  return 3;
}
