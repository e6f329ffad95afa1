// SPDX-License-Identifier: Apache-2.0
// fwrite and fflush to a stream over a full pipe wait for the reader and lose nothing.
#include "../io_support.h"

enum { LINES = 20000 };
static int ends[2];

static void* print_lines(void* unused) {
  (void)unused;
  FILE* stream = fdopen(ends[1], "w");
  for (int i = 0; i < LINES; ++i) CHECK(fprintf(stream, "%d\n", i) > 0);
  CHECK(fflush(stream) == 0);
  fclose(stream);
  return NULL;
}

static void body(void) {
  CHECK(pipe(ends) == 0);
  CHECK(fcntl(ends[1], F_SETPIPE_SZ, 4096) >= 4096);
  const pthread_t writer = start(print_lines, NULL);
  let_it_block();
  FILE* stream = fdopen(ends[0], "r");
  int number, expected = 0;
  while (fscanf(stream, "%d", &number) == 1) {
    CHECK(number == expected);
    ++expected;
  }
  printf("%d numbers\n", expected);
  finish(writer);
  fclose(stream);
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
