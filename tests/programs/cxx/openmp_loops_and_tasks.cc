// SPDX-License-Identifier: Apache-2.0
// OpenMP's parallel loops, reductions, critical sections, barriers and tasks give the right sums.
// libraries: -fopenmp

#include "support.h"

#include <omp.h>

static long fibonacci(int number) {
  if (number < 2) return number;
  long first, second;
#pragma omp task shared(first) if (number > 10)
  first = fibonacci(number - 1);
#pragma omp task shared(second) if (number > 10)
  second = fibonacci(number - 2);
#pragma omp taskwait
  return first + second;
}

int main() {
  omp_set_dynamic(0);
  omp_set_num_threads(4);
  long sum = 0, counted = 0, result = 0;
#pragma omp parallel for reduction(+ : sum) schedule(dynamic, 7)
  for (int i = 0; i < 10000; ++i) sum += i;
  int phases[4] = {};
#pragma omp parallel
  {
    for (int round = 0; round < 50; ++round) {
#pragma omp critical
      ++counted;
      phases[omp_get_thread_num()] = round;
#pragma omp barrier
      for (int phase : phases) CHECK(phase == round);
#pragma omp barrier
    }
  }
#pragma omp parallel
#pragma omp single
  result = fibonacci(20);
  say("sum: %ld, counted: %ld, fibonacci: %ld\n", sum, counted, result);
}
