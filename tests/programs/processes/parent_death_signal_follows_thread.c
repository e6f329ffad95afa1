// SPDX-License-Identifier: Apache-2.0
// A child's parent-death signal comes when the thread that forked it ends, and not before.

#include "support.h"

#include <sys/prctl.h>
#include <sys/wait.h>

static int ping[2], pong[2];
static pid_t child;

static void ask(void) {
  char byte = 'a';
  CHECK(write(ping[1], &byte, 1) == 1);
  CHECK(read(pong[0], &byte, 1) == 1 && byte == 'b');
}

static void* breed(void* argument) {
  child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    OK(prctl(PR_SET_PDEATHSIG, SIGTERM));
    char byte;
    while (read(ping[0], &byte, 1) == 1) {
      ++byte;
      CHECK(write(pong[1], &byte, 1) == 1);
    }
    _exit(1);
  }
  ask();
  for (int i = 0; i < 5; ++i) {
    sleep_ms(2);
    ask();
  }
  say("the child lives while its thread does\n");
  return argument;
}

int main(void) {
  OK(pipe(ping));
  OK(pipe(pong));
  join(start(breed, NULL));
  int status;
  CHECK(waitpid(child, &status, 0) == child);
  say("ended by SIG%s\n", WIFSIGNALED(status) ? sigabbrev_np(WTERMSIG(status)) : "?");
  return 0;
}
