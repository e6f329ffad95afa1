// SPDX-License-Identifier: Apache-2.0
// Threads open, use and close streams all the time while others flush all of them.
#include "../io_support.h"

enum { THREADS = 8, ROUNDS = 60 };
static atomic_bool stop;

static void* flush_all(void* unused) {
  (void)unused;
  while (!atomic_load(&stop)) {
    CHECK(fflush(NULL) == 0);
    sleep_ms(1);
  }
  return NULL;
}

static void* open_and_close(void* index) {
  char name[32];
  snprintf(name, sizeof name, "stream-%d", (int)(intptr_t)index);
  for (int i = 0; i < ROUNDS; ++i) {
    FILE* file = fopen(name, "w+e");
    CHECK(file != NULL);
    CHECK(fprintf(file, "%d", i) > 0);
    sched_yield();
    rewind(file);
    int number;
    CHECK(fscanf(file, "%d", &number) == 1 && number == i);
    CHECK(fclose(file) == 0);
  }
  return NULL;
}

int main(void) {
  enter_temporary_directory();
  const pthread_t flusher = start(flush_all, NULL);
  in_threads(THREADS, open_and_close);
  atomic_store(&stop, true);
  finish(flusher);
  printf("%d streams\n", THREADS * ROUNDS);
  return 0;
}
