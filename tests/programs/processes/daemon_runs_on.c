// SPDX-License-Identifier: Apache-2.0
// daemon() leaves a process that leads no terminal, keeps what was asked for, and can make
// threads.

#include "support.h"

#include <sys/wait.h>

static void* tell(void* argument) {
  sleep_ms(2);
  return argument;
}

int main(void) {
  int ends[2];
  OK(pipe(ends));
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    join(start(tell, NULL));
    pid_t before = getpid();
    OK(daemon(0, 0));
    CHECK(getpid() != before && getsid(0) == getpid());
    char folder[64];
    CHECK(getcwd(folder, sizeof folder) != NULL && strcmp(folder, "/") == 0);
    join(start(tell, NULL));
    CHECK(write(STDOUT_FILENO, "to nowhere", 10) == 10);
    CHECK(write(ends[1], "daemon ran", 10) == 10);
    _exit(0);
  }
  close(ends[1]);
  int status;
  CHECK(waitpid(child, &status, 0) == child);
  say("parent ended with %d\n", WEXITSTATUS(status));
  char text[16] = {0};
  CHECK(read(ends[0], text, 10) == 10);
  CHECK(read(ends[0], text + 10, 1) == 0);
  say("%s\n", text);
  return 0;
}
