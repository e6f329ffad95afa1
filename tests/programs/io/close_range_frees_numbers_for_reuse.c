// SPDX-License-Identifier: Apache-2.0
// close_range closes many waited-on descriptors at once; their numbers serve new files well.
#include "../io_support.h"

enum { FIRST = 60, PAIRS = 10 };

static void* write_later(void* fd) {
  sleep_ms(2);
  CHECK(write(*(int*)fd, "d", 1) == 1);
  return NULL;
}

static void use_all(void) {
  for (int i = 0; i < PAIRS; ++i) {
    int ends[2];
    CHECK(pipe(ends) == 0);
    CHECK(dup2(ends[0], FIRST + 2 * i) >= 0 && dup2(ends[1], FIRST + 2 * i + 1) >= 0);
    close(ends[0]);
    close(ends[1]);
    int writing = FIRST + 2 * i + 1;
    const pthread_t writer = start(write_later, &writing);
    char byte;
    CHECK(read(FIRST + 2 * i, &byte, 1) == 1);
    finish(writer);
  }
}

static void body(void) {
  char byte;
  for (int round = 0; round < 3; ++round) {
    use_all();
    show("close_range", close_range(FIRST, FIRST + 2 * PAIRS - 1, 0));
    show("read after", read(FIRST, &byte, 1));
  }
  use_all();
  show("close_range cloexec", close_range(FIRST, FIRST + 5, CLOSE_RANGE_CLOEXEC));
  printf("close on exec %d %d\n", fcntl(FIRST, F_GETFD), fcntl(FIRST + 6, F_GETFD));
  show("backwards", close_range(9, 8, 0));
  closefrom(FIRST);
  show("read after closefrom", read(FIRST, &byte, 1));
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
