// SPDX-License-Identifier: Apache-2.0
// A test-and-set lock that spins with yield excludes, also while its holder sleeps and waits.
#include "../io_support.h"

enum { THREADS = 8, TURNS = 200 };
static atomic_flag lock = ATOMIC_FLAG_INIT;
static int inside, total;

static void* take_turns(void* unused) {
  (void)unused;
  for (int i = 0; i < TURNS; ++i) {
    while (atomic_flag_test_and_set_explicit(&lock, memory_order_acquire)) sched_yield();
    CHECK(++inside == 1);
    ++total;
    if (i % 50 == 0) sleep_ms(1);
    if (i % 10 == 0) sched_yield();
    CHECK(--inside == 0);
    atomic_flag_clear_explicit(&lock, memory_order_release);
  }
  return NULL;
}

int main(void) {
  in_threads(THREADS, take_turns);
  printf("%d turns\n", total);
  return 0;
}
