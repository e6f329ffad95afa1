// SPDX-License-Identifier: Apache-2.0
// A waiting read fails with EINTR after a handler ran, or goes on waiting if SA_RESTART is set.
#include "../io_support.h"

static int ends[2];
static atomic_int handled;
static atomic_bool returned;

static void count(int number) {
  (void)number;
  atomic_fetch_add(&handled, 1);
}

static void* wait_for_data(void* unused) {
  (void)unused;
  char byte;
  show("read", read(ends[0], &byte, 1));
  atomic_store(&returned, true);
  return NULL;
}

int main(void) {
  CHECK(pipe(ends) == 0);
  handle_signal(SIGUSR1, count, 0);
  pthread_t waiter = start(wait_for_data, NULL);
  // A signal that comes before the read waits is lost on it, hence more than one.
  while (!atomic_load(&returned)) {
    sleep_ms(20);
    if (!atomic_load(&returned)) CHECK(pthread_kill(waiter, SIGUSR1) == 0);
  }
  finish(waiter);
  CHECK(atomic_load(&handled) > 0);

  handle_signal(SIGUSR2, count, SA_RESTART);
  atomic_store(&handled, 0);
  waiter = start(wait_for_data, NULL);
  for (int i = 1; i <= 5; ++i) {
    sleep_ms(10);
    CHECK(pthread_kill(waiter, SIGUSR2) == 0);
    while (atomic_load(&handled) < i) sleep_ms(1);
  }
  CHECK(write(ends[1], "x", 1) == 1);
  finish(waiter);
  printf("handled %d\n", atomic_load(&handled));
  return 0;
}
