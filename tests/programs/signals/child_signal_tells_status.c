// SPDX-License-Identifier: Apache-2.0
// The SIGCHLD handler is told which child ended and how.

#include "support.h"

#include <stdatomic.h>
#include <sys/wait.h>

static atomic_int seen_pid, seen_status, seen_code;

static void handle(int number, siginfo_t* information, void* context) {
  (void)number;
  (void)context;
  atomic_store(&seen_status, information->si_status);
  atomic_store(&seen_code, information->si_code);
  atomic_store(&seen_pid, information->si_pid);
}

static void run(int by_signal) {
  atomic_store(&seen_pid, 0);
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    if (by_signal) raise(SIGKILL);
    _exit(44);
  }
  WAIT_FOR(atomic_load(&seen_pid) == child);
  say("exited %d, killed %d, status %d\n", atomic_load(&seen_code) == CLD_EXITED,
      atomic_load(&seen_code) == CLD_KILLED, atomic_load(&seen_status));
  CHECK(waitpid(child, NULL, 0) == child);
}
static void* idle(void* argument) {
  for (;;) pause();
  return argument;
}

int main(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO | SA_RESTART | SA_NOCLDSTOP;
  OK(sigaction(SIGCHLD, &action, NULL));
  start(idle, NULL);
  run(0);
  run(1);
  return 0;
}
