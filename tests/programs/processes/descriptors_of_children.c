// SPDX-License-Identifier: Apache-2.0
// An exec'ed child inherits exactly the descriptors that its parent left open for it.

#include "support.h"

#include <fcntl.h>
#include <sys/wait.h>

static void* spawn(void* argument) {
  sleep_ms(2);
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    // ls itself opens the directory, at the lowest number that is free.
    execlp("ls", "ls", "-1", "/proc/self/fd", (char*)NULL);
    _exit(127);
  }
  int status;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  return argument;
}

int main(void) {
  int file = open("/dev/null", O_RDONLY);
  CHECK(file >= 0 && dup2(file, 42) == 42 && dup3(file, 41, O_CLOEXEC) == 41);
  OK(close(file));
  spawn(NULL);
  join(start(spawn, NULL));
  return 0;
}
