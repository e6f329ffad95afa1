// SPDX-License-Identifier: Apache-2.0
// A three-state futex mutex written by hand excludes sixteen threads and loses no wake-up.
#include "futex.h"

enum { THREADS = 16, TURNS = 2000 };
// 0 free, 1 held, 2 held and perhaps waited for.
static atomic_int lock_word;
static int inside;
static long total;

static void lock(void) {
  int seen = 0;
  if (atomic_compare_exchange_strong(&lock_word, &seen, 1)) return;
  if (seen != 2) seen = atomic_exchange(&lock_word, 2);
  while (seen != 0) {
    futex(&lock_word, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
    seen = atomic_exchange(&lock_word, 2);
  }
}

static void unlock(void) {
  if (atomic_exchange(&lock_word, 0) == 2) futex(&lock_word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void* take_turns(void* unused) {
  (void)unused;
  for (int i = 0; i < TURNS; ++i) {
    lock();
    CHECK(++inside == 1);
    ++total;
    if (i % 500 == 0) sched_yield();
    CHECK(--inside == 0);
    unlock();
  }
  return NULL;
}

int main(void) {
  in_threads(THREADS, take_turns);
  printf("%ld turns\n", total);
  return 0;
}
