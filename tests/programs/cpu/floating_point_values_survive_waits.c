// SPDX-License-Identifier: Apache-2.0
// Floating-point values held across waits of every kind are not mixed up between threads.
// libraries: -lm
#include "../io_support.h"

#include <math.h>

static int ends[2];

static void* iterate(void* index) {
  double a = (double)(intptr_t)index, b = 1.0, c = 0.5;
  long double d = (long double)(intptr_t)index / 7.0L;
  float e = (float)(intptr_t)index / 3.0F;
  for (int i = 0; i < 200; ++i) {
    char byte = 'x';
    if (index != NULL || i % 2 == 0) {
      if (i % 3 == 0) sched_yield();
      CHECK(write(ends[1], &byte, 1) == 1 && read(ends[0], &byte, 1) == 1);
    }
    a = sin(a) + b;
    b = cos(b) * c + a / 16;
    c = sqrt(fabs(c)) + 1e-3;
    d = d * 0.75L + (long double)a;
    e = e * 0.5F + (float)b;
  }
  double* results = malloc(5 * sizeof(double));
  results[0] = a, results[1] = b, results[2] = c, results[3] = (double)d, results[4] = (double)e;
  return results;
}

int main(void) {
  CHECK(pipe(ends) == 0);
  pthread_t threads[20];
  for (intptr_t i = 0; i < 20; ++i) threads[i] = start(iterate, (void*)(i % 10 + 1));
  int same = 0;
  for (intptr_t i = 0; i < 20; ++i) {
    double* results = finish(threads[i]);
    double* expected = iterate((void*)(i % 10 + 1));
    same += memcmp(results, expected, 5 * sizeof(double)) == 0;
    free(results);
    free(expected);
  }
  printf("%d of 20 the same\n", same);
  return 0;
}
