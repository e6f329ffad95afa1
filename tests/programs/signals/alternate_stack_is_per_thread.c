// SPDX-License-Identifier: Apache-2.0
// Each thread's handler with SA_ONSTACK runs on that thread's own alternate stack, also after
// waits.

#include "support.h"

#include <stdint.h>

enum { bytes = 65536 };
static _Thread_local uintptr_t begin;
static _Thread_local volatile sig_atomic_t inside, outside, told;

static void handle(int number) {
  (void)number;
  uintptr_t here = (uintptr_t)__builtin_frame_address(0);
  stack_t state;
  OK(sigaltstack(NULL, &state));
  told += state.ss_flags == SS_ONSTACK;
  if (here >= begin && here < begin + bytes) {
    ++inside;
  } else {
    ++outside;
  }
}

static void* use(void* argument) {
  stack_t before, mine = {.ss_sp = malloc(bytes), .ss_size = bytes};
  CHECK(mine.ss_sp != NULL);
  begin = (uintptr_t)mine.ss_sp;
  OK(sigaltstack(&mine, &before));
  CHECK(before.ss_flags == SS_DISABLE);
  for (int round = 0; round < 5; ++round) {
    sleep_ms(1);
    OK(raise(SIGUSR1));
    OK(raise(SIGUSR2));
  }
  CHECK(inside == 5 && outside == 5 && told == 5);
  stack_t none = {.ss_flags = SS_DISABLE};
  OK(sigaltstack(&none, NULL));
  OK(raise(SIGUSR1));
  CHECK(outside == 6);
  free(mine.ss_sp);
  return argument;
}

int main(void) {
  on_signal(SIGUSR1, handle, SA_ONSTACK);
  on_signal(SIGUSR2, handle, 0);
  pthread_t threads[6];
  for (int i = 0; i < 6; ++i) threads[i] = start(use, NULL);
  use(NULL);
  for (int i = 0; i < 6; ++i) join(threads[i]);
  say("each on its own stack\n");
  return 0;
}
