// SPDX-License-Identifier: Apache-2.0
// With SO_RCVLOWAT a recv waits until that many bytes are there.
#include "../io_support.h"

static int ends[2];

static void* write_slowly(void* unused) {
  (void)unused;
  for (int i = 0; i < 4; ++i) {
    let_it_block();
    CHECK(write(ends[1], "abc", 3) == 3);
  }
  return NULL;
}

static void body(void) {
  char buffer[64];
  tcp_pair(ends);
  const int wanted = 10;
  CHECK(setsockopt(ends[0], SOL_SOCKET, SO_RCVLOWAT, &wanted, sizeof wanted) == 0);
  const pthread_t writer = start(write_slowly, NULL);
  const ssize_t got = recv(ends[0], buffer, sizeof buffer, 0);
  printf("at least ten: %d\n", got >= 10);
  finish(writer);
  close(ends[0]);
  close(ends[1]);
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
