// SPDX-License-Identifier: Apache-2.0
// sleep(1) in a hundred threads at once takes each a second, and all of them about one together.
#include "../io_support.h"

static void* sleep_one(void* unused) {
  (void)unused;
  const int64_t began = now_ns();
  CHECK(sleep(1) == 0);
  CHECK(now_ns() - began >= 1000 * MILLISECOND_NS);
  return NULL;
}

int main(void) {
  const int64_t began = now_ns();
  in_threads(100, sleep_one);
  // One after the other they would take a hundred seconds.
  CHECK(now_ns() - began < 20000 * MILLISECOND_NS);
  printf("slept\n");
  return 0;
}
