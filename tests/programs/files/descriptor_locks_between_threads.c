// SPDX-License-Identifier: Apache-2.0
// Open-file-description locks exclude threads of one process; F_OFD_SETLKW waits its turn.
#include "../io_support.h"

enum { THREADS = 6, TURNS = 30 };
static atomic_int inside, total;

static int lock_file(int file, int command, short type) {
  struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = 5, .l_len = 10};
  return fcntl(file, command, &lock);
}

static void* take_turns(void* unused) {
  (void)unused;
  const int file = open("locked", O_RDWR);
  CHECK(file >= 0);
  for (int i = 0; i < TURNS; ++i) {
    CHECK(lock_file(file, F_OFD_SETLKW, F_WRLCK) == 0);
    CHECK(++inside == 1);
    ++total;
    sched_yield();
    if (i % 10 == 0) sleep_ms(1);
    CHECK(--inside == 0);
    CHECK(lock_file(file, F_OFD_SETLKW, F_UNLCK) == 0);
  }
  close(file);
  return NULL;
}

int main(void) {
  enter_temporary_directory();
  const int first = open("locked", O_CREAT | O_RDWR, 0600), second = open("locked", O_RDWR);
  show("first", lock_file(first, F_OFD_SETLK, F_WRLCK));
  show("second", lock_file(second, F_OFD_SETLK, F_RDLCK));
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; ++i) threads[i] = start(take_turns, NULL);
  let_it_block();
  show("release", lock_file(first, F_OFD_SETLK, F_UNLCK));
  for (int i = 0; i < THREADS; ++i) finish(threads[i]);
  printf("%d turns\n", total);
  return 0;
}
