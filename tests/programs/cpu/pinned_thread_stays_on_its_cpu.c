// SPDX-License-Identifier: Apache-2.0
// A thread that bound itself to one CPU finds itself on that CPU, before and after every wait.
#include "../io_support.h"

#include <sched.h>

static int cpus[CPU_SETSIZE], cpu_count;

static void* stay(void* index) {
  const int cpu = cpus[(intptr_t)index % cpu_count];
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(cpu, &one);
  CHECK(sched_setaffinity(0, sizeof one, &one) == 0);
  for (int i = 0; i < 100; ++i) {
    CHECK(sched_getcpu() == cpu);
    if (i % 3 == 0) sched_yield();
    if (i % 25 == 0) sleep_ms(1);
  }
  return NULL;
}

int main(void) {
  cpu_set_t all;
  CHECK(sched_getaffinity(0, sizeof all, &all) == 0);
  for (int i = 0; i < CPU_SETSIZE; ++i) {
    if (CPU_ISSET(i, &all)) cpus[cpu_count++] = i;
  }
  in_threads(6, stay);
  printf("stayed\n");
  return 0;
}
