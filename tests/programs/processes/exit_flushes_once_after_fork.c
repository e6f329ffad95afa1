// SPDX-License-Identifier: Apache-2.0
// What stdio holds at a fork is written once by each process that exits, and not by one that uses
// _exit.

#include "support.h"

#include <sys/wait.h>

static void tell(void) {
  printf("exit handler\n");
}

int main(void) {
  OK(atexit(tell));
  printf("held\n");
  for (int i = 0; i < 2; ++i) {
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
      if (i == 0) exit(0);
      _exit(0);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
  }
  printf("parent\n");
  return 0;
}
