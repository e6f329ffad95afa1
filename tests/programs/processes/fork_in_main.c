// SPDX-License-Identifier: Apache-2.0
// fork gives a child with a copy of the memory, its own id, and an exit code for the parent.

#include "support.h"

#include <sys/wait.h>

int main(void) {
  int value = 1;
  pid_t parent = getpid(), child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    CHECK(getppid() == parent && getpid() != parent && gettid() == getpid());
    value = 2;
    say("child: %d\n", value);
    _exit(23);
  }
  int status;
  CHECK(waitpid(child, &status, 0) == child);
  say("exited %d with %d; value: %d\n", WIFEXITED(status), WEXITSTATUS(status), value);
  return 0;
}
