// SPDX-License-Identifier: Apache-2.0
// Ten threads each wait for their own child, in waitpid, wait4 and waitid, and get its code.

#include "support.h"

#include <stdint.h>
#include <sys/resource.h>
#include <sys/wait.h>

static void* parent(void* index) {
  int number = (int)(intptr_t)index, status = 0;
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    sleep_ms(20 - number * 2);
    _exit(100 + number);
  }
  if (number % 3 == 0) {
    CHECK(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 100 + number);
  } else if (number % 3 == 1) {
    struct rusage usage;
    CHECK(wait4(child, &status, 0, &usage) == child && WEXITSTATUS(status) == 100 + number);
  } else {
    siginfo_t information;
    OK(waitid(P_PID, (id_t)child, &information, WEXITED));
    CHECK(information.si_pid == child && information.si_status == 100 + number &&
          information.si_code == CLD_EXITED);
  }
  return NULL;
}

int main(void) {
  pthread_t threads[10];
  for (intptr_t i = 0; i < 10; ++i) threads[i] = start(parent, (void*)i);
  for (int i = 0; i < 10; ++i) join(threads[i]);
  int result = waitpid(-1, NULL, 0);
  say("no child is left: %d %s\n", result, error_name(errno));
  return 0;
}
