// SPDX-License-Identifier: Apache-2.0
// Several threads poll the same descriptor; one byte wakes all of them.
#include "../io_support.h"

#include <poll.h>
#include <sys/select.h>

enum { WAITERS = 12 };
static int ends[2];

static void* wait_for_data(void* index) {
  if ((intptr_t)index % 2 == 0) {
    struct pollfd wanted = {.fd = ends[0], .events = POLLIN};
    return (void*)(intptr_t)poll(&wanted, 1, -1);
  }
  fd_set readable;
  FD_ZERO(&readable);
  FD_SET(ends[0], &readable);
  return (void*)(intptr_t)select(ends[0] + 1, &readable, NULL, NULL, NULL);
}

int main(void) {
  CHECK(pipe(ends) == 0);
  for (int round = 0; round < 10; ++round) {
    pthread_t waiters[WAITERS];
    for (intptr_t i = 0; i < WAITERS; ++i) waiters[i] = start(wait_for_data, (void*)i);
    sleep_ms(5);
    char byte = 'x';
    CHECK(write(ends[1], &byte, 1) == 1);
    intptr_t woken = 0;
    for (int i = 0; i < WAITERS; ++i) woken += (intptr_t)finish(waiters[i]);
    CHECK(woken == WAITERS);
    CHECK(read(ends[0], &byte, 1) == 1);
  }
  printf("all woken ten times\n");
  return 0;
}
