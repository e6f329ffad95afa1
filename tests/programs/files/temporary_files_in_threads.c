// SPDX-License-Identifier: Apache-2.0
// tmpfile and mkstemp in many threads give each its own file.
#include "../io_support.h"

enum { THREADS = 20 };

static void* use_own_file(void* index) {
  FILE* file = tmpfile();
  CHECK(file != NULL);
  char name[] = "own-XXXXXX";
  const int other = mkstemp(name);
  CHECK(other >= 0);
  for (int i = 0; i < 100; ++i) {
    CHECK(fprintf(file, "%d %d\n", (int)(intptr_t)index, i) > 0);
    CHECK(dprintf(other, "%d\n", (int)(intptr_t)index) > 0);
    if (i % 25 == 0) sched_yield();
  }
  rewind(file);
  for (int i = 0; i < 100; ++i) {
    int who, number;
    CHECK(fscanf(file, "%d %d", &who, &number) == 2);
    CHECK(who == (int)(intptr_t)index && number == i);
  }
  CHECK(fgetc(file) == '\n' && fgetc(file) == EOF);
  fclose(file);
  close(other);
  CHECK(unlink(name) == 0);
  return NULL;
}

int main(void) {
  enter_temporary_directory();
  in_threads(THREADS, use_own_file);
  use_own_file((void*)99);
  printf("all apart\n");
  return 0;
}
