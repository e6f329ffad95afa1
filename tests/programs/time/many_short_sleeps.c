// SPDX-License-Identifier: Apache-2.0
// Three hundred threads make twenty short sleeps each; all of them end.
// exits: 5
#include "../io_support.h"

static atomic_int sleeps;

static void* sleep_often(void* index) {
  for (int i = 0; i < 20; ++i) {
    const struct timespec nap = timespec_of_ns((((intptr_t)index * 7 + i) % 40) * 100000);
    const int64_t began = now_ns();
    CHECK(nanosleep(&nap, NULL) == 0);
    CHECK(now_ns() - began >= nap.tv_nsec);
    atomic_fetch_add(&sleeps, 1);
  }
  return NULL;
}

int main(void) {
  in_threads(300, sleep_often);
  printf("%d sleeps\n", atomic_load(&sleeps));
  return 5;
}
