// SPDX-License-Identifier: Apache-2.0
// Fifty threads that yield a thousand times each all come to an end, main included.
#include "../io_support.h"

#include <sched.h>

static atomic_int yields;

static void* yield_often(void* unused) {
  (void)unused;
  for (int i = 0; i < 1000; ++i) {
    CHECK(sched_yield() == 0);
    atomic_fetch_add(&yields, 1);
  }
  return NULL;
}

int main(void) {
  in_threads(50, yield_often);
  yield_often(NULL);
  printf("%d yields\n", atomic_load(&yields));
  return 0;
}
