// SPDX-License-Identifier: Apache-2.0
// A child forked while threads allocate and print can allocate and print: libc's own locks are
// consistent.

#include "support.h"

#include <stdatomic.h>
#include <sys/wait.h>

static atomic_int stop;
static FILE* sink;

static void* load(void* argument) {
  while (!atomic_load(&stop)) {
    char* block = malloc(2000);
    CHECK(block != NULL);
    fprintf(sink, "%p\n", (void*)block);
    free(block);
  }
  return argument;
}

int main(void) {
  sink = fopen("/dev/null", "w");
  CHECK(sink != NULL);
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i) threads[i] = start(load, NULL);
  int sum = 0;
  for (int i = 0; i < 20; ++i) {
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
      FILE* own = fopen("/dev/null", "w");
      CHECK(own != NULL);
      for (int j = 0; j < 50; ++j) {
        char* block = malloc(3000);
        CHECK(block != NULL);
        fprintf(own, "%d\n", j);
        free(block);
      }
      _exit(i);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
    sum += WEXITSTATUS(status);
  }
  atomic_store(&stop, 1);
  for (int i = 0; i < 4; ++i) join(threads[i]);
  say("sum of codes: %d\n", sum);
  return 0;
}
