// SPDX-License-Identifier: Apache-2.0
// Eight threads that spawn, fork and popen at the same time each get their own child's answer.

#include "support.h"

#include <spawn.h>
#include <stdint.h>
#include <sys/wait.h>

extern char** environ;

static void* run(void* index) {
  int number = (int)(intptr_t)index, status;
  char command[32], answer[32] = {0};
  snprintf(command, sizeof command, "echo %d; exit %d", number * 7, number);
  for (int round = 0; round < 3; ++round) {
    FILE* output = popen(command, "r");
    CHECK(output != NULL && fgets(answer, sizeof answer, output) != NULL);
    status = pclose(output);
    CHECK(atoi(answer) == number * 7 && WEXITSTATUS(status) == number);
    snprintf(answer, sizeof answer, "exit %d", number + 50);
    pid_t child;
    OK(posix_spawn(&child, "/bin/sh", NULL, NULL, (char*[]){"sh", "-c", answer, NULL}, environ));
    CHECK(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == number + 50);
    child = fork();
    CHECK(child >= 0);
    if (child == 0) _exit(number + 90);
    CHECK(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == number + 90);
  }
  return NULL;
}

int main(void) {
  pthread_t threads[8];
  for (intptr_t i = 0; i < 8; ++i) threads[i] = start(run, (void*)i);
  for (int i = 0; i < 8; ++i) join(threads[i]);
  say("each got its own\n");
  return 0;
}
