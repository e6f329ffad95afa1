// SPDX-License-Identifier: Apache-2.0
// A thread in waitpid(-1) gets children that other threads made, as they end.

#include "support.h"

#include <stdint.h>
#include <sys/wait.h>

static void* reap(void* argument) {
  intptr_t sum = 0;
  for (int i = 0; i < 5; ++i) {
    int status;
    CHECK(waitpid(-1, &status, 0) > 0 && WIFEXITED(status));
    sum += WEXITSTATUS(status);
  }
  (void)argument;
  return (void*)sum;
}
static void* breed(void* argument) {
  for (int i = 1; i <= 5; ++i) {
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) _exit(i);
    sleep_ms(2);
  }
  return argument;
}

int main(void) {
  // A child that lives on, so that there is always one to wait for.
  int ends[2];
  char byte;
  OK(pipe(ends));
  pid_t keeper = fork();
  CHECK(keeper >= 0);
  if (keeper == 0) {
    close(ends[1]);
    _exit(read(ends[0], &byte, 1) == 0 ? 0 : 1);
  }
  close(ends[0]);
  pthread_t reaper = start(reap, NULL), breeder = start(breed, NULL);
  join(breeder);
  say("sum of codes: %d\n", (int)(intptr_t)join(reaper));
  close(ends[1]);
  int status;
  CHECK(waitpid(keeper, &status, 0) == keeper && status == 0);
  return 0;
}
