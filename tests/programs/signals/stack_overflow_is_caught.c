// SPDX-License-Identifier: Apache-2.0
// A thread that runs out of stack is told by SIGSEGV on its alternate stack and can jump out and
// go on.

#include "support.h"

#include <setjmp.h>
#include <stdint.h>

static _Thread_local sigjmp_buf back;

static void handle(int number) {
  (void)number;
  siglongjmp(back, 1);
}

__attribute__((noinline)) static int descend(volatile int depth) {
  volatile char frame[4096];
  frame[0] = (char)depth;
  if (depth == 0) return 0;
  return descend(depth - 1) + frame[0];
}

static void* overflow(void* argument) {
  stack_t mine = {.ss_sp = malloc(65536), .ss_size = 65536};
  CHECK(mine.ss_sp != NULL);
  OK(sigaltstack(&mine, NULL));
  sleep_ms(1);
  if (sigsetjmp(back, 1) == 0) {
    say("never: %d\n", descend(1 << 20));
  }
  sleep_ms(1);
  say("caught\n");
  stack_t none = {.ss_flags = SS_DISABLE};
  OK(sigaltstack(&none, NULL));
  free(mine.ss_sp);
  return argument;
}

int main(void) {
  on_signal(SIGSEGV, handle, SA_ONSTACK);
  pthread_attr_t attributes;
  OK(pthread_attr_init(&attributes));
  OK(pthread_attr_setstacksize(&attributes, 262144));
  for (int i = 0; i < 3; ++i) {
    pthread_t thread;
    OK(pthread_create(&thread, &attributes, overflow, NULL));
    join(thread);
  }
  return 0;
}
