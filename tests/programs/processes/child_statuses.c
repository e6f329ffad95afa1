// SPDX-License-Identifier: Apache-2.0
// Exit codes, deaths by signal, stops and continuations of children are told as they are.

#include "support.h"

#include <sys/mman.h>
#include <sys/wait.h>

static pid_t make_child(void (*function)(void)) {
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    function();
    _exit(1);
  }
  return child;
}

static void exit_big(void) {
  _exit(0x1234);
}
static void kill_self(void) {
  raise(SIGKILL);
}
static void terminate_self(void) {
  raise(SIGTERM);
}
static void stop_self(void) {
  raise(SIGSTOP);
  _exit(5);
}
static void fault(void) {
  volatile char* page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(page != MAP_FAILED);
  *page = 1;
}

static void* run(void* argument) {
  int status;
  CHECK(waitpid(make_child(exit_big), &status, 0) > 0);
  say("exit: %d %d\n", WIFEXITED(status), WEXITSTATUS(status));
  CHECK(waitpid(make_child(kill_self), &status, 0) > 0);
  say("killed by SIG%s\n", sigabbrev_np(WTERMSIG(status)));
  CHECK(waitpid(make_child(terminate_self), &status, 0) > 0);
  say("killed by SIG%s\n", sigabbrev_np(WTERMSIG(status)));
  CHECK(waitpid(make_child(fault), &status, 0) > 0);
  say("killed by SIG%s\n", sigabbrev_np(WTERMSIG(status)));
  pid_t child = make_child(stop_self);
  CHECK(waitpid(child, &status, WUNTRACED) == child);
  say("stopped by SIG%s\n", sigabbrev_np(WSTOPSIG(status)));
  CHECK(waitpid(child, &status, WNOHANG) == 0);
  OK(kill(child, SIGCONT));
  CHECK(waitpid(child, &status, 0) == child);
  say("exit: %d\n", WEXITSTATUS(status));
  return argument;
}

int main(void) {
  run(NULL);
  join(start(run, NULL));
  return 0;
}
