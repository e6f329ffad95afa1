// SPDX-License-Identifier: Apache-2.0
// A futex wait with a long timeout ends when it is woken, not when the time is up.
#include "futex.h"

static atomic_int word;

static void* wake_later(void* unused) {
  (void)unused;
  let_it_block();
  atomic_store(&word, 1);
  CHECK(futex(&word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0) >= 0);
  return NULL;
}

static void body(void) {
  const struct timespec long_time = {.tv_sec = 1000};
  for (int i = 0; i < 5; ++i) {
    atomic_store(&word, 0);
    const pthread_t waker = start(wake_later, NULL);
    while (atomic_load(&word) == 0) {
      const long result = futex(&word, FUTEX_WAIT_PRIVATE, 0, &long_time, NULL, 0);
      CHECK(result == 0 || errno == EAGAIN);
    }
    finish(waker);
  }
  printf("woken\n");
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
