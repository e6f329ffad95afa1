// SPDX-License-Identifier: Apache-2.0
// Eight threads wait in recv on one datagram socket; each datagram wakes one of them.
#include "../io_support.h"

enum { READERS = 8, DATAGRAMS = 4000 };
static int ends[2];
static atomic_int seen[DATAGRAMS];

static void* receive(void* unused) {
  (void)unused;
  for (;;) {
    int number;
    CHECK(recv(ends[0], &number, sizeof number, 0) == sizeof number);
    if (number < 0) return NULL;
    atomic_fetch_add(&seen[number], 1);
  }
}

int main(void) {
  CHECK(socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) == 0);
  pthread_t readers[READERS];
  for (int i = 0; i < READERS; ++i) readers[i] = start(receive, NULL);
  let_it_block();
  for (int i = 0; i < DATAGRAMS + READERS; ++i) {
    const int number = i < DATAGRAMS ? i : -1;
    CHECK(send(ends[1], &number, sizeof number, 0) == sizeof number);
  }
  for (int i = 0; i < READERS; ++i) finish(readers[i]);
  int once = 0;
  for (int i = 0; i < DATAGRAMS; ++i) once += atomic_load(&seen[i]) == 1;
  printf("%d once\n", once);
  return 0;
}
