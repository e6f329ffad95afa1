// SPDX-License-Identifier: Apache-2.0
// vfork followed by exec or _exit works in the first thread and in others.

#include "support.h"

#include <sys/wait.h>

static void* spawn(void* argument) {
  for (int code = 0; code < 5; ++code) {
    char command[16];
    snprintf(command, sizeof command, "exit %d", code * 10);
    pid_t child = vfork();
    if (child == 0) {
      execl("/bin/sh", "sh", "-c", command, (char*)NULL);
      _exit(127);
    }
    CHECK(child > 0);
    int status;
    CHECK(waitpid(child, &status, 0) == child);
    say("code %d\n", WEXITSTATUS(status));
  }
  return argument;
}

int main(void) {
  spawn(NULL);
  join(start(spawn, NULL));
  return 0;
}
