// SPDX-License-Identifier: Apache-2.0
// A grandchild whose parent has ended is not ours to wait for, and runs on with threads of its
// own.

#include "support.h"

#include <sys/wait.h>

static int* marker;

static void* tell(void* argument) {
  sleep_ms(5);
  say("grandchild's thread\n");
  return argument;
}

int main(void) {
  int ends[2];
  OK(pipe(ends));
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    pid_t grandchild = fork();
    CHECK(grandchild >= 0);
    if (grandchild > 0) _exit(0);
    close(ends[0]);
    join(start(tell, marker));
    CHECK(write(ends[1], "done", 4) == 4);
    _exit(0);
  }
  close(ends[1]);
  int status;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  char text[8] = {0};
  CHECK(read(ends[0], text, 4) == 4);
  CHECK(read(ends[0], text + 4, 1) == 0);
  int result = waitpid(-1, NULL, 0);
  say("%s, nothing to wait for: %d %s\n", text, result, error_name(errno));
  return 0;
}
