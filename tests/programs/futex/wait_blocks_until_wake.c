// SPDX-License-Identifier: Apache-2.0
// FUTEX_WAIT waits until FUTEX_WAKE, private and shared; the wake tells how many it woke.
#include "futex.h"

static atomic_int word, awake;

static void* wait_for_wake(void* flags) {
  while (atomic_load(&word) == 0) {
    const long result = futex(&word, FUTEX_WAIT | (int)(intptr_t)flags, 0, NULL, NULL, 0);
    CHECK(result == 0 || errno == EAGAIN || errno == EINTR);
  }
  atomic_fetch_add(&awake, 1);
  return NULL;
}

static void wake_three(intptr_t flags) {
  atomic_store(&word, 0);
  atomic_store(&awake, 0);
  pthread_t waiters[3];
  for (int i = 0; i < 3; ++i) waiters[i] = start(wait_for_wake, (void*)flags);
  let_it_block();
  atomic_store(&word, 1);
  const long woken = futex(&word, FUTEX_WAKE | (int)flags, INT32_MAX, NULL, NULL, 0);
  CHECK(woken >= 0 && woken <= 3);
  for (int i = 0; i < 3; ++i) finish(waiters[i]);
  printf("%d awake\n", atomic_load(&awake));
  show("nobody waits", futex(&word, FUTEX_WAKE | (int)flags, 1, NULL, NULL, 0));
}

int main(void) {
  wake_three(FUTEX_PRIVATE_FLAG);
  wake_three(0);
  return 0;
}
