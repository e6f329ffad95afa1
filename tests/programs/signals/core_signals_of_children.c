// SPDX-License-Identifier: Apache-2.0
// Children with threads that end by each of the signals that dump core are told with that signal.

#include "support.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

static void* die(void* number) {
  sleep_ms(1);
  if (*(int*)number == SIGILL) __asm__ volatile("ud2");
  if (*(int*)number == SIGTRAP) __asm__ volatile("int3");
  if (*(int*)number == SIGSEGV) {
    volatile char* page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    *page = 1;
  }
  raise(*(int*)number);
  return number;
}

int main(void) {
  static const int numbers[] = {SIGILL, SIGTRAP, SIGSEGV, SIGABRT, SIGBUS,
                                SIGFPE, SIGQUIT, SIGSYS,  SIGXCPU};
  OK(setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0}));
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
      int number = numbers[i];
      join(start(die, &number));
      _exit(1);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child);
    say("SIG%s: %d\n", sigabbrev_np(numbers[i]),
        WIFSIGNALED(status) && WTERMSIG(status) == numbers[i]);
  }
  return 0;
}
