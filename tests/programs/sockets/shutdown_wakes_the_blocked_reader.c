// SPDX-License-Identifier: Apache-2.0
// shutdown of either half wakes the thread that waits in recv, with the end of the stream.
#include "../io_support.h"

static int ends[2];

static void* wait_for_data(void* unused) {
  (void)unused;
  char byte;
  show("recv", recv(ends[0], &byte, 1, 0));
  return NULL;
}

static void shut(int end, int half) {
  const pthread_t waiter = start(wait_for_data, NULL);
  let_it_block();
  CHECK(shutdown(ends[end], half) == 0);
  finish(waiter);
  close(ends[0]);
  close(ends[1]);
}

int main(void) {
  tcp_pair(ends), shut(0, SHUT_RD);
  tcp_pair(ends), shut(0, SHUT_RDWR);
  tcp_pair(ends), shut(1, SHUT_WR);
  CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  shut(0, SHUT_RD);
  CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  shut(1, SHUT_RDWR);
  CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) == 0);
  shut(1, SHUT_WR);
  return 0;
}
