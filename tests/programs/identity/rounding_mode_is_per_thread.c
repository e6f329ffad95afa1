// SPDX-License-Identifier: Apache-2.0
// The floating-point rounding mode is inherited by a new thread, is per thread, and is kept across
// waits.
// libraries: -lm

#include "support.h"

#include <fenv.h>
#include <stdint.h>

static const int modes[4] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};

static long round_by_mode(double value) {
  long result;
  __asm__ volatile("cvtsd2si %1, %0" : "=r"(result) : "x"(value));
  return result;
}

static void* keep(void* index) {
  intptr_t mine = (intptr_t)index;
  CHECK(fegetround() == FE_UPWARD);
  OK(fesetround(modes[mine]));
  static const long expected[4] = {2, 1, 2, 1};
  for (int round = 0; round < 20; ++round) {
    CHECK(round_by_mode(1.75) == expected[mine] && fegetround() == modes[mine]);
    sleep_ms(1);
  }
  return NULL;
}

int main(void) {
  OK(fesetround(FE_UPWARD));
  pthread_t threads[4];
  for (intptr_t i = 0; i < 4; ++i) threads[i] = start(keep, (void*)i);
  for (int i = 0; i < 4; ++i) join(threads[i]);
  say("main keeps its own: %d\n", fegetround() == FE_UPWARD);
  return 0;
}
