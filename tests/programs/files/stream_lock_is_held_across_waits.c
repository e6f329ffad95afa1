// SPDX-License-Identifier: Apache-2.0
// A stream locked by flockfile stays with its thread while that thread sleeps and waits.
#include "../io_support.h"

enum { THREADS = 10, ROUNDS = 20 };
static FILE* file;

static void* print_together(void* index) {
  for (int i = 0; i < ROUNDS; ++i) {
    flockfile(file);
    fprintf(file, "%d", (int)(intptr_t)index);
    sched_yield();
    if (i % 5 == 0) sleep_ms(1);
    flockfile(file);
    fprintf(file, " %d", (int)(intptr_t)index);
    funlockfile(file);
    fputc_unlocked('\n', file);
    funlockfile(file);
  }
  return NULL;
}

static void* try_lock(void* unused) {
  (void)unused;
  return (void*)(intptr_t)ftrylockfile(file);
}

int main(void) {
  file = tmpfile();
  flockfile(file);
  printf("refused while held: %d\n", finish(start(try_lock, NULL)) != NULL);
  funlockfile(file);
  in_threads(THREADS, print_together);
  rewind(file);
  int first, second, whole = 0;
  while (fscanf(file, "%d %d\n", &first, &second) == 2) whole += first == second;
  printf("%d whole lines\n", whole);
  return 0;
}
