// SPDX-License-Identifier: Apache-2.0
// Threads in a bare loop on a flag, with no call at all, do not starve the thread that sets it.
#include "../io_support.h"

enum { SPINNERS = 4 };
static atomic_int flag, arrived;

static void* spin(void* index) {
  atomic_fetch_add(&arrived, 1);
  long turns = 0;
  while (atomic_load_explicit(&flag, memory_order_acquire) <= (intptr_t)index) ++turns;
  return NULL;
}

static void* raise_flag(void* unused) {
  (void)unused;
  for (int i = 1; i <= SPINNERS; ++i) {
    atomic_store_explicit(&flag, i, memory_order_release);
    sleep_ms(1);
  }
  return NULL;
}

int main(void) {
  pthread_t spinners[SPINNERS];
  for (intptr_t i = 0; i < SPINNERS; ++i) spinners[i] = start(spin, (void*)i);
  while (atomic_load(&arrived) < SPINNERS) sleep_ms(1);
  finish(start(raise_flag, NULL));
  for (int i = 0; i < SPINNERS; ++i) finish(spinners[i]);
  printf("all saw it\n");
  return 0;
}
