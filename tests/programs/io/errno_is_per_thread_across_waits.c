// SPDX-License-Identifier: Apache-2.0
// errno keeps its value in each thread while others wait and fail with other errors.
#include "../io_support.h"

enum { THREADS = 16, ROUNDS = 200 };

static void* wait_with_own_errno(void* index) {
  int ends[2];
  CHECK(pipe(ends) == 0);
  for (int i = 0; i < ROUNDS; ++i) {
    char byte = 'x';
    const int own = 1 + (int)(intptr_t)index;
    errno = own;
    CHECK(write(ends[1], &byte, 1) == 1);
    sched_yield();
    CHECK(read(ends[0], &byte, 1) == 1);
    if (i % 50 == 0) sleep_ms(1);
    CHECK(errno == own);
    CHECK(read((intptr_t)index % 2 == 0 ? -1 : ends[1], &byte, 1) == -1);
    CHECK(errno == EBADF);
    CHECK(lseek(ends[0], 0, SEEK_CUR) == -1);
    sched_yield();
    CHECK(errno == ESPIPE);
  }
  close(ends[0]);
  close(ends[1]);
  return NULL;
}

int main(void) {
  errno = ENOTBLK;
  in_threads(THREADS, wait_with_own_errno);
  printf("main still has %s\n", strerrorname_np(errno));
  return 0;
}
