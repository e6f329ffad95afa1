// SPDX-License-Identifier: Apache-2.0
// Each thread gets back the CPU set it gave itself, and a thread made by it inherits the set.
#include "../io_support.h"

#include <sched.h>

static cpu_set_t all;
static int cpus[CPU_SETSIZE], cpu_count;

static void* check_inherited(void* expected) {
  cpu_set_t own;
  CHECK(sched_getaffinity(0, sizeof own, &own) == 0);
  CHECK(CPU_EQUAL(&own, (cpu_set_t*)expected));
  return NULL;
}

static void* bind_to_one(void* index) {
  cpu_set_t one, own;
  CPU_ZERO(&one);
  CPU_SET(cpus[(intptr_t)index % cpu_count], &one);
  CHECK(sched_setaffinity(0, sizeof one, &one) == 0);
  for (int i = 0; i < 20; ++i) {
    CHECK(sched_getaffinity(0, sizeof own, &own) == 0);
    CHECK(CPU_EQUAL(&own, &one));
    sched_yield();
    if (i % 10 == 0) sleep_ms(1);
  }
  finish(start(check_inherited, &one));
  CHECK(pthread_setaffinity_np(pthread_self(), sizeof all, &all) == 0);
  CHECK(pthread_getaffinity_np(pthread_self(), sizeof own, &own) == 0);
  CHECK(CPU_EQUAL(&own, &all));
  return NULL;
}

int main(void) {
  CHECK(sched_getaffinity(0, sizeof all, &all) == 0);
  for (int i = 0; i < CPU_SETSIZE; ++i) {
    if (CPU_ISSET(i, &all)) cpus[cpu_count++] = i;
  }
  CHECK(cpu_count >= 1);
  in_threads(6, bind_to_one);
  cpu_set_t own;
  CHECK(sched_getaffinity(0, sizeof own, &own) == 0);
  printf("main has its own still %d\n", CPU_EQUAL(&own, &all));
  cpu_set_t none;
  CPU_ZERO(&none);
  show("empty set", sched_setaffinity(0, sizeof none, &none));
  printf("empty set: %s\n",
         strerrorname_np(pthread_setaffinity_np(pthread_self(), sizeof none, &none)));
  show("no such thread", sched_getaffinity(1 << 30, sizeof own, &own));
  show("short set", sched_getaffinity(0, 1, &own));
  return 0;
}
