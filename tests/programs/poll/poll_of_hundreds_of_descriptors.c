// SPDX-License-Identifier: Apache-2.0
// poll over 400 pipes finds exactly the ones that were written, wherever they are.
#include "../io_support.h"

#include <poll.h>

enum { PIPES = 400 };
static int ends[PIPES][2];
static atomic_int chosen;

static void* write_chosen(void* unused) {
  (void)unused;
  sleep_ms(2);
  CHECK(write(ends[atomic_load(&chosen)][1], "x", 1) == 1);
  return NULL;
}

static void body(void) {
  struct pollfd wanted[PIPES];
  for (int i = 0; i < PIPES; ++i) wanted[i] = (struct pollfd){.fd = ends[i][0], .events = POLLIN};
  int right = 0;
  for (int round = 0; round < 40; ++round) {
    atomic_store(&chosen, (round * 157) % PIPES);
    const pthread_t writer = start(write_chosen, NULL);
    CHECK(poll(wanted, PIPES, -1) == 1);
    right += wanted[atomic_load(&chosen)].revents == POLLIN;
    char byte;
    CHECK(read(wanted[atomic_load(&chosen)].fd, &byte, 1) == 1);
    finish(writer);
  }
  printf("%d of 40 found\n", right);
}

int main(void) {
  for (int i = 0; i < PIPES; ++i) CHECK(pipe(ends[i]) == 0);
  in_main_and_thread(body);
  return 0;
}
