// SPDX-License-Identifier: Apache-2.0
// flock between two descriptors of a file: LOCK_NB fails, a waiting LOCK_EX gets its turn.
#include "../io_support.h"

#include <sys/file.h>

enum { THREADS = 6, TURNS = 30 };
static atomic_int inside, total;

static void* take_turns(void* unused) {
  (void)unused;
  const int file = open("locked", O_RDWR);
  CHECK(file >= 0);
  for (int i = 0; i < TURNS; ++i) {
    CHECK(flock(file, LOCK_EX) == 0);
    CHECK(++inside == 1);
    ++total;
    sched_yield();
    if (i % 10 == 0) sleep_ms(1);
    CHECK(--inside == 0);
    CHECK(flock(file, LOCK_UN) == 0);
  }
  close(file);
  return NULL;
}

int main(void) {
  enter_temporary_directory();
  const int first = open("locked", O_CREAT | O_RDWR, 0600), second = open("locked", O_RDWR);
  show("exclusive", flock(first, LOCK_EX));
  show("other, not waiting", flock(second, LOCK_SH | LOCK_NB));
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; ++i) threads[i] = start(take_turns, NULL);
  let_it_block();
  show("still none inside", inside);
  show("release", flock(first, LOCK_UN));
  for (int i = 0; i < THREADS; ++i) finish(threads[i]);
  printf("%d turns\n", total);
  show("shared", flock(first, LOCK_SH));
  show("shared too", flock(second, LOCK_SH | LOCK_NB));
  show("bad operation", flock(first, 0));
  return 0;
}
