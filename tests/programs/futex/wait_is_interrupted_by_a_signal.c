// SPDX-License-Identifier: Apache-2.0
// A futex wait without timeout restarts after a SA_RESTART handler and fails with EINTR otherwise.
#include "futex.h"

static atomic_int word, handled;
static atomic_bool returned;

static void count(int number) {
  (void)number;
  atomic_fetch_add(&handled, 1);
}

static void* wait_once(void* unused) {
  (void)unused;
  show("wait", futex(&word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0));
  atomic_store(&returned, true);
  return NULL;
}

int main(void) {
  handle_signal(SIGUSR1, count, 0);
  pthread_t waiter = start(wait_once, NULL);
  // A signal that comes before the wait began is lost on it, hence more than one.
  while (!atomic_load(&returned)) {
    sleep_ms(20);
    if (!atomic_load(&returned)) CHECK(pthread_kill(waiter, SIGUSR1) == 0);
  }
  finish(waiter);
  handle_signal(SIGUSR2, count, SA_RESTART);
  atomic_store(&returned, false);
  atomic_store(&handled, 0);
  waiter = start(wait_once, NULL);
  for (int i = 1; i <= 3; ++i) {
    sleep_ms(10);
    CHECK(pthread_kill(waiter, SIGUSR2) == 0);
    while (atomic_load(&handled) < i) sleep_ms(1);
  }
  CHECK(!atomic_load(&returned));
  while (!atomic_load(&returned)) {
    CHECK(futex(&word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0) >= 0);
    sleep_ms(1);
  }
  finish(waiter);
  return 0;
}
