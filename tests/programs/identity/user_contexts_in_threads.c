// SPDX-License-Identifier: Apache-2.0
// Contexts of makecontext keep their own stacks and values while they wait, in several threads at
// once.

#include "support.h"

#include <stdint.h>
#include <ucontext.h>

enum { contexts = 4, rounds = 10, bytes = 65536 };
struct Scheduler {
  ucontext_t main, each[contexts];
  char stacks[contexts][bytes];
  long sums[contexts];
  int thread;
};

static _Thread_local struct Scheduler* scheduler;

static void run(int index) {
  long sum = 0;
  for (int i = 1; i <= rounds; ++i) {
    sum += i * (index + scheduler->thread);
    usleep(200);
    CHECK(swapcontext(&scheduler->each[index], &scheduler->main) == 0);
  }
  scheduler->sums[index] = sum;
}

static void* schedule(void* argument) {
  scheduler = argument;
  for (int i = 0; i < contexts; ++i) {
    OK(getcontext(&scheduler->each[i]));
    scheduler->each[i].uc_stack.ss_sp = scheduler->stacks[i];
    scheduler->each[i].uc_stack.ss_size = bytes;
    scheduler->each[i].uc_link = &scheduler->main;
    makecontext(&scheduler->each[i], (void (*)(void))run, 1, i);
  }
  for (int round = 0; round <= rounds; ++round) {
    for (int i = 0; i < contexts; ++i) OK(swapcontext(&scheduler->main, &scheduler->each[i]));
  }
  for (int i = 0; i < contexts; ++i) CHECK(scheduler->sums[i] == 55L * (i + scheduler->thread));
  return NULL;
}

int main(void) {
  static struct Scheduler schedulers[3];
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i) {
    schedulers[i].thread = i * 10;
    threads[i] = start(schedule, &schedulers[i]);
  }
  for (int i = 0; i < 3; ++i) join(threads[i]);
  say("sums are right\n");
  return 0;
}
