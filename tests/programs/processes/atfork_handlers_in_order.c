// SPDX-License-Identifier: Apache-2.0
// pthread_atfork handlers run in the thread that forks: prepare in reverse order, parent and child
// in order.

#include "support.h"

#include <sys/wait.h>

static pid_t forking;

static void prepare_first(void) {
  say("prepare first, in the thread: %d\n", gettid() == forking);
}
static void prepare_second(void) {
  say("prepare second\n");
}
static void parent_first(void) {
  say("parent first, in the thread: %d\n", gettid() == forking);
}
static void parent_second(void) {
  say("parent second\n");
}
static void child_first(void) {
  say("child first\n");
}
static void child_second(void) {
  say("child second\n");
}

static void* fork_here(void* argument) {
  forking = gettid();
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    say("child goes on\n");
    _exit(0);
  }
  int status;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  say("parent goes on\n");
  return argument;
}

// The child's handlers print before the parent's only by chance, so the parent's wait for its end.
static void wait_for_child(void) {
  siginfo_t information;
  CHECK(waitid(P_ALL, 0, &information, WEXITED | WNOWAIT) == 0);
}

int main(void) {
  OK(pthread_atfork(NULL, wait_for_child, NULL));
  OK(pthread_atfork(prepare_first, parent_first, child_first));
  OK(pthread_atfork(prepare_second, parent_second, child_second));
  join(start(fork_here, NULL));
  return 0;
}
