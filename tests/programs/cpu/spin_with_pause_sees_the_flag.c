// SPDX-License-Identifier: Apache-2.0
// Threads that spin with the pause instruction only do not keep others from setting their flag.
#include "../io_support.h"

enum { SPINNERS = 4 };
static atomic_bool flag;
static atomic_int arrived;

static void* spin(void* unused) {
  (void)unused;
  atomic_fetch_add(&arrived, 1);
  while (!atomic_load(&flag)) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
  }
  return NULL;
}

static void* set_flag(void* unused) {
  (void)unused;
  atomic_store(&flag, true);
  return NULL;
}

int main(void) {
  pthread_t spinners[SPINNERS];
  for (int i = 0; i < SPINNERS; ++i) spinners[i] = start(spin, NULL);
  while (atomic_load(&arrived) < SPINNERS) sleep_ms(1);
  let_it_block();
  finish(start(set_flag, NULL));
  for (int i = 0; i < SPINNERS; ++i) finish(spinners[i]);
  printf("all saw it\n");
  return 0;
}
