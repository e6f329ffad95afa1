// SPDX-License-Identifier: Apache-2.0
// sysconf, get_nprocs and the affinity mask give plausible counts, the same in every thread.
#include "../io_support.h"

#include <sched.h>
#include <sys/sysinfo.h>

static long online, configured;
static int allowed;

static void* compare(void* unused) {
  (void)unused;
  cpu_set_t set;
  CHECK(sched_getaffinity(0, sizeof set, &set) == 0);
  CHECK(sysconf(_SC_NPROCESSORS_ONLN) == online && get_nprocs() == online);
  CHECK(sysconf(_SC_NPROCESSORS_CONF) == configured && get_nprocs_conf() == configured);
  CHECK(CPU_COUNT(&set) == allowed);
  return NULL;
}

int main(void) {
  cpu_set_t set;
  online = sysconf(_SC_NPROCESSORS_ONLN);
  configured = sysconf(_SC_NPROCESSORS_CONF);
  CHECK(sched_getaffinity(0, sizeof set, &set) == 0);
  allowed = CPU_COUNT(&set);
  printf("online at least one %d\n", online >= 1);
  printf("configured at least as many %d\n", configured >= online);
  printf("allowed at least one, at most configured %d\n", allowed >= 1 && allowed <= configured);
  compare(NULL);
  in_threads(8, compare);
  printf("the same in threads\n");
  return 0;
}
