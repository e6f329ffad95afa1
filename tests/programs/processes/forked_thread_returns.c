// SPDX-License-Identifier: Apache-2.0
// In a child that a thread has forked, that thread is the only one: its return ends the process.

#include "support.h"

#include <sys/wait.h>

static void* other(void* argument) {
  return argument;
}

static void* fork_and_return(void* makes_thread) {
  pid_t child = fork();
  if (child == 0) {
    if (makes_thread) join(start(other, NULL));
    return NULL;
  }
  int status = -1;
  OK(waitpid(child, &status, 0) == child ? 0 : -1);
  say("the child %s a thread of its own: status %d\n", makes_thread ? "with" : "without", status);
  return NULL;
}

static void* fork_and_exit(void* argument) {
  pid_t child = fork();
  if (child == 0) pthread_exit(NULL);
  int status = -1;
  OK(waitpid(child, &status, 0) == child ? 0 : -1);
  say("the child that calls pthread_exit: status %d\n", status);
  return argument;
}

int main(void) {
  static int yes;
  join(start(fork_and_return, NULL));
  join(start(fork_and_return, &yes));
  join(start(fork_and_exit, NULL));
  return 0;
}
