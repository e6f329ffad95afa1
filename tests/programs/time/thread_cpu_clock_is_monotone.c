// SPDX-License-Identifier: Apache-2.0
// The CPU clock of a thread never goes back, across yields, sleeps and waits on other threads.
#include "../io_support.h"

static int there[2], back[2];

static void* answer(void* unused) {
  (void)unused;
  char byte;
  while (read(there[0], &byte, 1) == 1) CHECK(write(back[1], &byte, 1) == 1);
  return NULL;
}

static void* watch_own_clock(void* unused) {
  (void)unused;
  int64_t before = clock_ns(CLOCK_THREAD_CPUTIME_ID);
  for (int i = 0; i < 200; ++i) {
    char byte = 'x';
    if (i % 4 == 0) sched_yield();
    if (i % 20 == 0) sleep_ms(1);
    volatile unsigned work = 0;
    for (int j = 0; j < 1000; ++j) work += (unsigned)j;
    CHECK(write(there[1], &byte, 1) == 1 && read(back[0], &byte, 1) == 1);
    const int64_t now = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    CHECK(now >= before);
    before = now;
  }
  return NULL;
}

int main(void) {
  CHECK(pipe(there) == 0 && pipe(back) == 0);
  const pthread_t answerers[2] = {start(answer, NULL), start(answer, NULL)};
  in_threads(6, watch_own_clock);
  watch_own_clock(NULL);
  close(there[1]);
  for (int i = 0; i < 2; ++i) finish(answerers[i]);
  printf("monotone\n");
  return 0;
}
