// SPDX-License-Identifier: Apache-2.0
// The CPU clocks of thread and process advance while a thread works, and can be read by another.
#include "../io_support.h"

enum { WORK_MS = 20 };
static pthread_barrier_t worked, looked_at;

static void* work(void* unused) {
  (void)unused;
  const int64_t before = clock_ns(CLOCK_THREAD_CPUTIME_ID);
  const int64_t process_before = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
  volatile unsigned work = 0;
  while (clock_ns(CLOCK_THREAD_CPUTIME_ID) - before < WORK_MS * MILLISECOND_NS) ++work;
  // The two clocks are not read at the same instant of accounting; allow for a tick.
  CHECK(clock_ns(CLOCK_PROCESS_CPUTIME_ID) - process_before >= (WORK_MS - 10) * MILLISECOND_NS);
  pthread_barrier_wait(&worked);
  pthread_barrier_wait(&looked_at);
  return NULL;
}

static void body(void) {
  const clock_t process_before = clock();
  const pthread_t worker = start(work, NULL);
  pthread_barrier_wait(&worked);
  clockid_t clock_of_worker;
  CHECK(pthread_getcpuclockid(worker, &clock_of_worker) == 0);
  CHECK(clock_ns(clock_of_worker) >= WORK_MS * MILLISECOND_NS);
  pthread_barrier_wait(&looked_at);
  finish(worker);
  CHECK((clock() - process_before) * 1000 / CLOCKS_PER_SEC >= WORK_MS - 10);
  printf("counted\n");
}

int main(void) {
  CHECK(pthread_barrier_init(&worked, NULL, 2) == 0);
  CHECK(pthread_barrier_init(&looked_at, NULL, 2) == 0);
  in_main_and_thread(body);
  return 0;
}
