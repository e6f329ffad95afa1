// SPDX-License-Identifier: Apache-2.0
// Two threads exchange a counter over a socketpair, twenty thousand times.
#include "../io_support.h"

enum { ROUNDS = 20000 };
static int ends[2];

static void* answer(void* unused) {
  (void)unused;
  for (int i = 0; i < ROUNDS; ++i) {
    int number;
    CHECK(recv(ends[1], &number, sizeof number, 0) == sizeof number);
    ++number;
    CHECK(send(ends[1], &number, sizeof number, 0) == sizeof number);
  }
  return NULL;
}

static void* ask(void* unused) {
  (void)unused;
  int number = 0;
  for (int i = 0; i < ROUNDS; ++i) {
    CHECK(send(ends[0], &number, sizeof number, 0) == sizeof number);
    CHECK(recv(ends[0], &number, sizeof number, 0) == sizeof number);
  }
  printf("%d\n", number);
  return NULL;
}

int main(void) {
  CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  const pthread_t answerer = start(answer, NULL);
  finish(start(ask, NULL));
  finish(answerer);
  return 0;
}
