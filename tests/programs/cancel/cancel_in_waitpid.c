// SPDX-License-Identifier: Apache-2.0
// waitpid, wait4 and waitid are cancellation points; the child is still there to be waited for.

#include "support.h"

#include <sys/resource.h>
#include <sys/wait.h>

#include "cancelling.h"

static pid_t child;

static void in_waitpid(void) {
  waitpid(child, NULL, 0);
}
static void in_waitid(void) {
  siginfo_t information;
  waitid(P_PID, (id_t)child, &information, WEXITED);
}
static void in_wait4(void) {
  wait4(child, NULL, 0, NULL);
}

int main(void) {
  int ends[2];
  OK(pipe(ends));
  child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    char byte;
    close(ends[1]);
    _exit(read(ends[0], &byte, 1) == 0 ? 3 : 4);
  }
  cancel_in("waitpid", in_waitpid);
  cancel_in("waitid", in_waitid);
  cancel_in("wait4", in_wait4);
  close(ends[1]);
  int status;
  CHECK(waitpid(child, &status, 0) == child);
  say("child: %d\n", WEXITSTATUS(status));
  return 0;
}
