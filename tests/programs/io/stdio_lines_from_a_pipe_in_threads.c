// SPDX-License-Identifier: Apache-2.0
// Four threads call getline on one stream over a pipe; each line is read whole and exactly once.
#include "../io_support.h"

enum { LINES = 4000, READERS = 4 };
static int ends[2];
static FILE* stream;
static atomic_int seen[LINES];

static void* read_lines(void* unused) {
  (void)unused;
  char* line = NULL;
  size_t capacity = 0;
  while (getline(&line, &capacity, stream) > 0) {
    int number, twice;
    CHECK(sscanf(line, "line %d twice %d end\n", &number, &twice) == 2);
    CHECK(twice == 2 * number);
    atomic_fetch_add(&seen[number], 1);
  }
  free(line);
  return NULL;
}

int main(void) {
  CHECK(pipe(ends) == 0);
  stream = fdopen(ends[0], "r");
  pthread_t readers[READERS];
  for (int i = 0; i < READERS; ++i) readers[i] = start(read_lines, NULL);
  let_it_block();
  for (int i = 0; i < LINES; ++i) {
    CHECK(dprintf(ends[1], "line %d twice %d end\n", i, 2 * i) > 0);
    if (i % 1000 == 0) let_it_block();
  }
  close(ends[1]);
  for (int i = 0; i < READERS; ++i) finish(readers[i]);
  int once = 0;
  for (int i = 0; i < LINES; ++i) once += atomic_load(&seen[i]) == 1;
  printf("%d lines once\n", once);
  fclose(stream);
  return 0;
}
