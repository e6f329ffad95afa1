// SPDX-License-Identifier: Apache-2.0
// Each thread keeps its rounding mode and floating-point exceptions across waits and yields.
// libraries: -lm
#include "../io_support.h"

#include <fenv.h>

static const int modes[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};
static int ends[2];

static void* compute_in_mode(void* index) {
  const int mode = modes[(intptr_t)index % 4];
  CHECK(fegetround() == FE_TONEAREST);
  CHECK(fesetround(mode) == 0);
  feclearexcept(FE_ALL_EXCEPT);
  volatile double one = 1.0, three = 3.0;
  volatile long double long_one = 1.0L, long_three = 3.0L;
  const double third = one / three;
  const long double long_third = long_one / long_three;
  for (int i = 0; i < 50; ++i) {
    char byte = 'x';
    CHECK(write(ends[1], &byte, 1) == 1 && read(ends[0], &byte, 1) == 1);
    sched_yield();
    if (i % 20 == 0) sleep_ms(1);
    CHECK(fegetround() == mode);
    CHECK(one / three == third && long_one / long_three == long_third);
    CHECK(fetestexcept(FE_INEXACT) != 0);
    CHECK(fetestexcept(FE_DIVBYZERO) == ((intptr_t)index >= 8 && i > 0 ? FE_DIVBYZERO : 0));
    volatile double zero = 0.0;
    if ((intptr_t)index >= 8) zero = one / zero;
  }
  return NULL;
}

int main(void) {
  CHECK(pipe(ends) == 0);
  in_threads(16, compute_in_mode);
  printf("main rounds to nearest %d\n", fegetround() == FE_TONEAREST);
  return 0;
}
