// SPDX-License-Identifier: Apache-2.0
// Floating-point values that live across waits come back as they were, in many threads at once.

#include "support.h"

#include <stdint.h>

static void* add(void* index) {
  double start_value = (double)(intptr_t)index;
  double a = start_value, b = start_value / 3, c = start_value * 7, d = 1;
  long double wide = start_value;
  for (int round = 1; round <= 20; ++round) {
    a += 1;
    b += 0.5;
    c -= 2;
    d *= 2;
    wide += 0.25L;
    sleep_ms(1);
  }
  CHECK(a == start_value + 20 && b == start_value / 3 + 10 && c == start_value * 7 - 40);
  CHECK(d == 1048576 && wide == (long double)start_value + 5);
  return NULL;
}

int main(void) {
  pthread_t threads[16];
  for (intptr_t i = 0; i < 16; ++i) threads[i] = start(add, (void*)(i * 3));
  for (int i = 0; i < 16; ++i) join(threads[i]);
  say("sums are right\n");
  return 0;
}
