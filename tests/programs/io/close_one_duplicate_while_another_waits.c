// SPDX-License-Identifier: Apache-2.0
// Closing one duplicate does not disturb a thread that waits on the other.
#include "../io_support.h"

static int waited;

static void* wait_on(void* unused) {
  (void)unused;
  char byte;
  show("read", read(waited, &byte, 1));
  show("end", read(waited, &byte, 1));
  return NULL;
}

int main(void) {
  int ends[2];
  CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  for (int round = 0; round < 5; ++round) {
    int copies[2] = {dup(ends[0]), dup(ends[0])};
    char byte = 'w';
    // The copy that is closed has been waited on as well, so that its number is known.
    CHECK(write(ends[1], &byte, 1) == 1 && read(copies[0], &byte, 1) == 1);
    waited = copies[1];
    const pthread_t waiter = start(wait_on, NULL);
    sleep_ms(10);
    close(copies[0]);
    sleep_ms(10);
    CHECK(write(ends[1], &byte, 1) == 1);
    sleep_ms(10);
    if (round == 4) {
      shutdown(ends[1], SHUT_WR);
    } else {
      CHECK(write(ends[1], &byte, 1) == 1);
    }
    finish(waiter);
    close(copies[1]);
  }
  return 0;
}
