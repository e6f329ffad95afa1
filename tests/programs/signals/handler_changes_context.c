// SPDX-License-Identifier: Apache-2.0
// A handler that changes the saved instruction pointer and a register is obeyed when it returns.

#include "support.h"

#include <ucontext.h>

static void skip(int number, siginfo_t* information, void* context) {
  (void)number;
  (void)information;
  ucontext_t* saved = context;
  saved->uc_mcontext.gregs[REG_RIP] += 2;  // behind ud2
  saved->uc_mcontext.gregs[REG_RAX] += 1000;
}

static void* run(void* argument) {
  for (long i = 0; i < 5; ++i) {
    long value = i;
    sleep_ms(1);
    __asm__ volatile("ud2" : "+a"(value) : : "memory");
    CHECK(value == i + 1000);
  }
  return argument;
}

int main(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = skip;
  action.sa_flags = SA_SIGINFO;
  OK(sigaction(SIGILL, &action, NULL));
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i) threads[i] = start(run, NULL);
  for (int i = 0; i < 4; ++i) join(threads[i]);
  say("obeyed\n");
  return 0;
}
