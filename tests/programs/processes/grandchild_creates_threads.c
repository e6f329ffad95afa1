// SPDX-License-Identifier: Apache-2.0
// Each of three generations of forks, made in threads, can make threads and wait for the next.

#include "support.h"

#include <sys/wait.h>

static void* live(void* left) {
  sleep_ms(2);
  if (*(int*)left == 0) return left;
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    --*(int*)left;
    join(start(live, left));
    _exit(10 + *(int*)left);
  }
  int status;
  CHECK(waitpid(child, &status, 0) == child);
  say("generation %d: child's code %d\n", *(int*)left, WEXITSTATUS(status));
  return left;
}

int main(void) {
  int left = 3;
  join(start(live, &left));
  return 0;
}
