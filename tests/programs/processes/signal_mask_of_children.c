// SPDX-License-Identifier: Apache-2.0
// An exec'ed child has the mask of the thread that forked it and the ignored signals, and nothing
// of ours.

#include "support.h"

#include <sys/wait.h>

static int blocked_marker;

static void* spawn(void* blocked) {
  sigset_t set = only(SIGUSR2);
  if (blocked != NULL) OK(pthread_sigmask(SIG_BLOCK, &set, NULL));
  sleep_ms(2);
  say("%s\n", blocked != NULL ? "SIGUSR2 blocked" : "nothing blocked");
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    execlp("grep", "grep", "-E", "^(Shd|Sig)(Pnd|Blk|Ign|Cgt)", "/proc/self/status", (char*)NULL);
    _exit(127);
  }
  int status;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  return NULL;
}

int main(void) {
  on_signal(SIGHUP, SIG_IGN, 0);
  spawn(NULL);
  join(start(spawn, NULL));
  join(start(spawn, &blocked_marker));
  return 0;
}
