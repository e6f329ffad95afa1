// SPDX-License-Identifier: Apache-2.0
// poll leaves entries with negative descriptors alone, zeroes their revents and waits for the rest.
#include "../io_support.h"

#include <poll.h>

static int ends[2];

static void* write_later(void* unused) {
  (void)unused;
  let_it_block();
  CHECK(write(ends[1], "x", 1) == 1);
  return NULL;
}

static void body(void) {
  CHECK(pipe(ends) == 0);
  struct pollfd wanted[4] = {
      {-1, POLLIN, 77}, {ends[0], POLLIN, 77}, {-100, POLLIN, 77}, {-1, 0, 77}};
  show("only negative", poll(&wanted[2], 2, 10));
  const pthread_t writer = start(write_later, NULL);
  show("mixed", poll(wanted, 4, -1));
  for (int i = 0; i < 4; ++i) printf("%d ", wanted[i].revents);
  printf("\n");
  finish(writer);
  struct pollfd twice[2] = {{ends[0], POLLIN, 0}, {ends[0], POLLIN | POLLOUT, 0}};
  show("the same twice", poll(twice, 2, -1));
  printf("%d %d\n", twice[0].revents == POLLIN, twice[1].revents == POLLIN);
  struct pollfd mixed[2] = {{ends[0], POLLIN, 0}, {1 << 20, POLLIN, 0}};
  show("one closed", poll(mixed, 2, -1));
  printf("%d %d\n", mixed[0].revents == POLLIN, mixed[1].revents == POLLNVAL);
  close(ends[0]);
  close(ends[1]);
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
