// SPDX-License-Identifier: Apache-2.0
// sched_getcpu and getcpu name a configured CPU, also right after waits and yields.
#include "../io_support.h"

#include <sched.h>

static long configured;

static void* look(void* unused) {
  (void)unused;
  for (int i = 0; i < 100; ++i) {
    const int cpu = sched_getcpu();
    CHECK(cpu >= 0 && cpu < configured);
    unsigned other, node;
    CHECK(getcpu(&other, &node) == 0);
    CHECK(other < configured);
    CHECK(getcpu(NULL, NULL) == 0);
    if (i % 10 == 0) sched_yield();
    if (i % 50 == 0) sleep_ms(1);
  }
  return NULL;
}

int main(void) {
  configured = sysconf(_SC_NPROCESSORS_CONF);
  look(NULL);
  in_threads(8, look);
  printf("in range\n");
  return 0;
}
