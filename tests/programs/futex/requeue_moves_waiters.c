// SPDX-License-Identifier: Apache-2.0
// FUTEX_CMP_REQUEUE and FUTEX_REQUEUE wake some waiters and move the rest to another word.
#include "futex.h"

enum { WAITERS = 6 };
static atomic_int first, second, awake;

static void* wait_on_first(void* unused) {
  (void)unused;
  while (futex(&first, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0) != 0) CHECK(errno == EINTR);
  atomic_fetch_add(&awake, 1);
  return NULL;
}

static void wait_until_awake(int count) {
  while (atomic_load(&awake) < count) sleep_ms(1);
}

int main(void) {
  pthread_t waiters[WAITERS];
  for (int i = 0; i < WAITERS; ++i) waiters[i] = start(wait_on_first, NULL);
  show("other value", futex(&first, FUTEX_CMP_REQUEUE_PRIVATE, 1,
                            (const struct timespec*)(intptr_t)INT32_MAX, &second, 99));
  // Waiters come one by one: each requeue wakes none and moves who is there.
  long moved = 0;
  while (moved < WAITERS) {
    sleep_ms(1);
    const long result = futex(&first, FUTEX_CMP_REQUEUE_PRIVATE, 0,
                              (const struct timespec*)(intptr_t)INT32_MAX, &second, 0);
    CHECK(result >= 0);
    moved += result;
  }
  printf("%ld moved, %d awake\n", moved, atomic_load(&awake));
  show("nobody at the first", futex(&first, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0));
  show("one at the second", futex(&second, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0));
  wait_until_awake(1);
  // The manual promises the number of the woken, the kernel adds the number of the moved.
  const long result =
      futex(&second, FUTEX_REQUEUE_PRIVATE, 2, (const struct timespec*)(intptr_t)1, &first, 0);
  CHECK(result == 2 || result == 3);
  wait_until_awake(3);
  show("the one at the first", futex(&first, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0));
  show("the rest", futex(&second, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0));
  for (int i = 0; i < WAITERS; ++i) finish(waiters[i]);
  printf("%d awake\n", atomic_load(&awake));
  return 0;
}
