// SPDX-License-Identifier: Apache-2.0
// Threads go on while others are inside system(), several of them at once.

#include "support.h"

#include <stdatomic.h>
#include <stdint.h>
#include <sys/wait.h>

static atomic_int ticks, stop;

static void* tick(void* argument) {
  while (!atomic_load(&stop)) {
    atomic_fetch_add(&ticks, 1);
    sleep_ms(1);
  }
  return argument;
}
static void* run(void* argument) {
  int status = system("sleep 0.05; exit 7");
  (void)argument;
  return (void*)(intptr_t)WEXITSTATUS(status);
}

int main(void) {
  pthread_t ticking = start(tick, NULL), threads[4];
  for (int i = 0; i < 4; ++i) threads[i] = start(run, NULL);
  int sum = 0;
  for (int i = 0; i < 4; ++i) sum += (int)(intptr_t)join(threads[i]);
  WAIT_FOR(atomic_load(&ticks) > 5);
  atomic_store(&stop, 1);
  join(ticking);
  say("sum of codes: %d\n", sum);
  return 0;
}
