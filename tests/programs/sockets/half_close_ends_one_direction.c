// SPDX-License-Identifier: Apache-2.0
// After shutdown of the writing half the peer reads the end, and its answer still arrives.
#include "../io_support.h"

static int ends[2];

static void* sum_until_end(void* unused) {
  (void)unused;
  long sum = 0;
  unsigned char byte;
  ssize_t got;
  while ((got = recv(ends[1], &byte, 1, 0)) == 1) sum += byte;
  CHECK(got == 0);
  let_it_block();
  write_all(ends[1], &sum, sizeof sum);
  CHECK(shutdown(ends[1], SHUT_WR) == 0);
  return NULL;
}

static void question(void) {
  const pthread_t server = start(sum_until_end, NULL);
  for (int i = 0; i < 100; ++i) {
    const unsigned char byte = (unsigned char)i;
    CHECK(send(ends[0], &byte, 1, 0) == 1);
  }
  CHECK(shutdown(ends[0], SHUT_WR) == 0);
  show("send after", send(ends[0], "x", 1, MSG_NOSIGNAL));
  long sum;
  read_all(ends[0], &sum, sizeof sum);
  printf("sum %ld\n", sum);
  show("end", recv(ends[0], &sum, sizeof sum, 0));
  finish(server);
  close(ends[0]);
  close(ends[1]);
}

static void body(void) {
  tcp_pair(ends);
  question();
  CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  question();
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
