// SPDX-License-Identifier: Apache-2.0
// A read of an empty pipe waits for the byte that the other thread writes, thousands of times.
#include "../io_support.h"

enum { ROUNDS = 5000 };
static int there[2], back[2];

static void* answer(void* unused) {
  (void)unused;
  for (int i = 0; i < ROUNDS; ++i) {
    int number;
    CHECK(read(there[0], &number, sizeof number) == sizeof number);
    CHECK(number == i);
    number = -number;
    CHECK(write(back[1], &number, sizeof number) == sizeof number);
  }
  return NULL;
}

static void ask(void) {
  const pthread_t answerer = start(answer, NULL);
  let_it_block();
  for (int i = 0; i < ROUNDS; ++i) {
    int number = i;
    CHECK(write(there[1], &number, sizeof number) == sizeof number);
    CHECK(read(back[0], &number, sizeof number) == sizeof number);
    CHECK(number == -i);
  }
  finish(answerer);
  printf("%d rounds\n", ROUNDS);
}

int main(void) {
  CHECK(pipe(there) == 0 && pipe(back) == 0);
  in_main_and_thread(ask);
  return 0;
}
