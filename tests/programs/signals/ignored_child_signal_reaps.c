// SPDX-License-Identifier: Apache-2.0
// With SIGCHLD ignored, children leave no zombie, and waiting for them ends with ECHILD once all
// are gone.

#include "support.h"

#include <sys/wait.h>

static void* run(void* argument) {
  for (int i = 0; i < 3; ++i) {
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
      sleep_ms(5);
      _exit(3);
    }
  }
  int result = waitpid(-1, NULL, 0);
  say("waitpid: %d %s\n", result, error_name(errno));
  return argument;
}

int main(void) {
  on_signal(SIGCHLD, SIG_IGN, 0);
  run(NULL);
  join(start(run, NULL));
  return 0;
}
