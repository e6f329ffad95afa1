// SPDX-License-Identifier: Apache-2.0
// A UNIX datagram sender waits while the receiver's queue is full; order and borders are kept.
#include "../io_support.h"

enum { DATAGRAMS = 2000 };
static int ends[2];

static void* send_all(void* unused) {
  (void)unused;
  char datagram[300];
  for (int i = 0; i < DATAGRAMS; ++i) {
    memset(datagram, i % 256, sizeof datagram);
    const size_t bytes = (size_t)(1 + i % 300);
    CHECK(send(ends[0], datagram, bytes, 0) == (ssize_t)bytes);
  }
  return NULL;
}

static void body(void) {
  CHECK(socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) == 0);
  const pthread_t sender = start(send_all, NULL);
  let_it_block();
  char datagram[400];
  for (int i = 0; i < DATAGRAMS; ++i) {
    CHECK(recv(ends[1], datagram, sizeof datagram, 0) == 1 + i % 300);
    CHECK((unsigned char)datagram[0] == i % 256);
    if (i % 500 == 0) sleep_ms(2);
  }
  finish(sender);
  printf("%d datagrams\n", DATAGRAMS);
  close(ends[0]);
  close(ends[1]);
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
