// SPDX-License-Identifier: Apache-2.0
// Atomic additions, exchanges and compare-exchanges by sixteen threads lose nothing.
#include "../io_support.h"

enum { THREADS = 16, TURNS = 20000 };
static atomic_long added, exchanged;
static _Atomic(uint64_t) bits;

static void* count(void* index) {
  for (int i = 0; i < TURNS; ++i) {
    atomic_fetch_add_explicit(&added, 1, memory_order_relaxed);
    long seen = atomic_load(&exchanged);
    while (!atomic_compare_exchange_weak(&exchanged, &seen, seen + 2)) continue;
    atomic_fetch_xor(&bits, UINT64_C(1) << (intptr_t)index);
    if (i % 5000 == 0) sched_yield();
  }
  atomic_fetch_or(&bits, UINT64_C(1) << (intptr_t)index);
  return NULL;
}

int main(void) {
  in_threads(THREADS, count);
  printf("%ld %ld %llx\n", atomic_load(&added), atomic_load(&exchanged),
         (unsigned long long)atomic_load(&bits));
  return 0;
}
