// SPDX-License-Identifier: Apache-2.0
// FUTEX_LOCK_PI, TRYLOCK_PI and UNLOCK_PI exclude threads by their thread id.
#include "futex.h"

enum { THREADS = 6, TURNS = 200 };
static atomic_int lock_word;
static atomic_int inside, total;

static void lock(void) {
  int seen = 0;
  if (atomic_compare_exchange_strong(&lock_word, &seen, gettid())) return;
  while (futex(&lock_word, FUTEX_LOCK_PI_PRIVATE, 0, NULL, NULL, 0) != 0) {
    CHECK(errno == EINTR || errno == EAGAIN);
  }
}

static void unlock(void) {
  int own = gettid();
  if (atomic_compare_exchange_strong(&lock_word, &own, 0)) return;
  CHECK(futex(&lock_word, FUTEX_UNLOCK_PI_PRIVATE, 0, NULL, NULL, 0) == 0);
}

static void* take_turns(void* unused) {
  (void)unused;
  for (int i = 0; i < TURNS; ++i) {
    lock();
    CHECK((atomic_load(&lock_word) & FUTEX_TID_MASK) == gettid());
    CHECK(++inside == 1);
    ++total;
    if (i % 50 == 0) sleep_ms(1);
    CHECK(--inside == 0);
    unlock();
  }
  return NULL;
}

static void* try_lock(void* unused) {
  (void)unused;
  show("held by another", futex(&lock_word, FUTEX_TRYLOCK_PI_PRIVATE, 0, NULL, NULL, 0));
  return NULL;
}

int main(void) {
  in_threads(THREADS, take_turns);
  printf("%d turns\n", atomic_load(&total));
  lock();
  finish(start(try_lock, NULL));
  show("held by itself", futex(&lock_word, FUTEX_LOCK_PI_PRIVATE, 0, NULL, NULL, 0));
  unlock();
  return 0;
}
