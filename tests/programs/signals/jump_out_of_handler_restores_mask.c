// SPDX-License-Identifier: Apache-2.0
// siglongjmp out of a handler gives back the mask that sigsetjmp saved, in each thread its own,
// again and again; a jump to a place without a mask leaves it as it is.

#include "support.h"

#include <setjmp.h>

static _Thread_local sigjmp_buf back;

static void jump(int number) {
  siglongjmp(back, number);
}

static int is_blocked(int number) {
  sigset_t now;
  OK(pthread_sigmask(SIG_BLOCK, NULL, &now));
  return sigismember(&now, number);
}

static void* jump_often(void* argument) {
  sigset_t own;
  sigemptyset(&own);
  sigaddset(&own, argument != NULL ? SIGUSR2 : SIGWINCH);
  OK(pthread_sigmask(SIG_BLOCK, &own, NULL));
  for (volatile int i = 0; i < 20; ++i) {
    if (sigsetjmp(back, 1) == 0) {
      OK(raise(SIGUSR1));
      CHECK(!"never");
    }
    CHECK(!is_blocked(SIGUSR1));
    CHECK(is_blocked(SIGUSR2) == (argument != NULL));
    if (i % 5 == 0) sleep_ms(1);
  }
  if (sigsetjmp(back, 0) == 0) {
    OK(raise(SIGUSR1));
    CHECK(!"never");
  }
  CHECK(is_blocked(SIGUSR1));
  return argument;
}

int main(void) {
  on_signal(SIGUSR1, jump, 0);
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i) threads[i] = start(jump_often, i % 2 == 0 ? threads : NULL);
  jump_often(NULL);
  for (int i = 0; i < 4; ++i) join(threads[i]);
  say("masks are as they were saved\n");
  return 0;
}
