// SPDX-License-Identifier: Apache-2.0
// A thread that writes to a pipe without reader is killed by SIGPIPE, and the process with it.
// exits: 13
#include "../io_support.h"

static void* write_to_nobody(void* unused) {
  (void)unused;
  int ends[2];
  CHECK(pipe(ends) == 0);
  close(ends[0]);
  write_all(ends[1], "x", 1);
  return NULL;
}

int main(void) {
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    signal(SIGPIPE, SIG_DFL);
    finish(start(write_to_nobody, NULL));
    _exit(0);
  }
  int status;
  CHECK(waitpid(child, &status, 0) == child);
  printf("by signal: %d\n", WIFSIGNALED(status) ? WTERMSIG(status) : 0);
  return 13;
}
