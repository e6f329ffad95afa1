// SPDX-License-Identifier: Apache-2.0
// FUTEX_WAKE_BITSET wakes only waiters whose bits match; a wait or wake without bits is refused.
#include "futex.h"

static atomic_int word, awake[2];

static void* wait_with_bit(void* bit) {
  while (futex(&word, FUTEX_WAIT_BITSET_PRIVATE, 0, NULL, NULL, 1 << (intptr_t)bit) != 0) {
    CHECK(errno == EINTR);
  }
  atomic_fetch_add(&awake[(intptr_t)bit], 1);
  return NULL;
}

static long wake_bit(int bit) {
  return futex(&word, FUTEX_WAKE_BITSET_PRIVATE, INT32_MAX, NULL, NULL, 1 << bit);
}

int main(void) {
  pthread_t waiters[6];
  for (intptr_t i = 0; i < 6; ++i) waiters[i] = start(wait_with_bit, (void*)(i % 2));
  long woken = 0;
  while (woken < 3) {
    sleep_ms(1);
    woken += wake_bit(1);
  }
  for (int i = 1; i < 6; i += 2) finish(waiters[i]);
  printf("%d with bit 0, %d with bit 1\n", atomic_load(&awake[0]), atomic_load(&awake[1]));
  show("other bit", wake_bit(7));
  for (woken = 0; woken < 3;) {
    sleep_ms(1);
    woken += futex(&word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
  }
  for (int i = 0; i < 6; i += 2) finish(waiters[i]);
  printf("%d with bit 0, %d with bit 1\n", atomic_load(&awake[0]), atomic_load(&awake[1]));
  show("wait without bits", futex(&word, FUTEX_WAIT_BITSET_PRIVATE, 0, NULL, NULL, 0));
  show("wake without bits", futex(&word, FUTEX_WAKE_BITSET_PRIVATE, 1, NULL, NULL, 0));
  return 0;
}
