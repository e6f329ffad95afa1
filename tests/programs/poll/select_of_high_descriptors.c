// SPDX-License-Identifier: Apache-2.0
// select works on descriptors far beyond 64, and ignores those at or above its first argument.
#include "../io_support.h"

#include <sys/select.h>

static const int numbers[] = {70, 200, 513, 900, 1000};
static int writers[5];

static void* write_later(void* index) {
  let_it_block();
  CHECK(write(writers[(intptr_t)index], "x", 1) == 1);
  return NULL;
}

static void body(void) {
  for (intptr_t i = 0; i < 5; ++i) {
    fd_set reading;
    FD_ZERO(&reading);
    for (int j = 0; j < 5; ++j) FD_SET(numbers[j], &reading);
    const pthread_t writer = start(write_later, (void*)i);
    CHECK(select(numbers[4] + 1, &reading, NULL, NULL, NULL) == 1);
    for (int j = 0; j < 5; ++j) printf("%d", FD_ISSET(numbers[j], &reading) != 0);
    printf("\n");
    finish(writer);
    char byte;
    CHECK(read(numbers[i], &byte, 1) == 1);
  }
  fd_set reading;
  FD_ZERO(&reading);
  FD_SET(numbers[4], &reading);
  CHECK(write(writers[4], "x", 1) == 1);
  struct timeval none = {0, 0};
  show("below", select(numbers[4], &reading, NULL, NULL, &none));
  char byte;
  CHECK(read(numbers[4], &byte, 1) == 1);
}

int main(void) {
  for (int i = 0; i < 5; ++i) {
    int ends[2];
    CHECK(pipe(ends) == 0);
    CHECK(dup2(ends[0], numbers[i]) == numbers[i]);
    close(ends[0]);
    writers[i] = ends[1];
  }
  in_main_and_thread(body);
  return 0;
}
