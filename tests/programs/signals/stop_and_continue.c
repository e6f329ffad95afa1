// SPDX-License-Identifier: Apache-2.0
// A process with threads that is stopped and continued goes on where it was, waits included.

#include "support.h"

#include <sys/wait.h>

static void* count(void* argument) {
  for (int i = 0; i < 20; ++i) {
    ++*(int*)argument;
    sleep_ms(1);
  }
  return argument;
}

int main(void) {
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    int counts[3] = {0, 0, 0};
    pthread_t threads[3];
    for (int i = 0; i < 3; ++i) threads[i] = start(count, &counts[i]);
    raise(SIGSTOP);
    for (int i = 0; i < 3; ++i) join(threads[i]);
    _exit(counts[0] + counts[1] + counts[2]);
  }
  int status;
  CHECK(waitpid(child, &status, WUNTRACED) == child && WIFSTOPPED(status));
  say("stopped\n");
  sleep_ms(20);
  OK(kill(child, SIGCONT));
  CHECK(waitpid(child, &status, WCONTINUED) == child);
  if (WIFCONTINUED(status)) CHECK(waitpid(child, &status, 0) == child);
  say("counted: %d\n", WEXITSTATUS(status));
  return 0;
}
