// SPDX-License-Identifier: Apache-2.0
// A thread that sleeps while another works does not have the other's work on its CPU clock.
#include "../io_support.h"

static atomic_bool stop;

static void* work(void* unused) {
  (void)unused;
  volatile unsigned work = 0;
  while (!atomic_load(&stop)) ++work;
  return NULL;
}

static void* sleep_for_long(void* unused) {
  (void)unused;
  const int64_t before = clock_ns(CLOCK_THREAD_CPUTIME_ID);
  for (int i = 0; i < 20; ++i) sleep_ms(10);
  const int64_t used = clock_ns(CLOCK_THREAD_CPUTIME_ID) - before;
  printf("rested %d\n", used >= 0 && used < 100 * MILLISECOND_NS);
  return NULL;
}

int main(void) {
  const pthread_t worker = start(work, NULL);
  finish(start(sleep_for_long, NULL));
  atomic_store(&stop, true);
  finish(worker);
  return 0;
}
