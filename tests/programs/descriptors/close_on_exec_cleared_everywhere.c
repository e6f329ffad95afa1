// SPDX-License-Identifier: Apache-2.0
// A program that clears close-on-exec of every number passes on its own descriptors, and no others.

#include "busy.h"

#include <sys/syscall.h>
#include <sys/wait.h>

int main(void) {
  play();
  CHECK(dup3(0, 30, O_CLOEXEC) == 30 && dup3(0, 31, O_CLOEXEC) == 31);
  int cleared = 0;
  for (int number = 3; number < 2000; ++number) {
    cleared += (number % 2 == 0 ? fcntl(number, F_SETFD, 0)
                                : (int)syscall(SYS_fcntl, number, F_SETFD, 0)) == 0;
  }
  say("cleared: %d\n", cleared);
  pid_t child = fork();
  if (child == 0) {
    execlp("ls", "ls", "-1", "/proc/self/fd", (char*)NULL);
    _exit(127);
  }
  int status;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  return 0;
}
