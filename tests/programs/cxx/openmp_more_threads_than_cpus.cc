// SPDX-License-Identifier: Apache-2.0
// An OpenMP program with many more threads than CPUs gets through its barriers, nested regions
// included.
// libraries: -fopenmp

#include "support.h"

#include <omp.h>

int main() {
  omp_set_dynamic(0);
  omp_set_max_active_levels(2);
  long arrived = 0;
#pragma omp parallel num_threads(16) reduction(+ : arrived)
  {
    for (int round = 0; round < 10; ++round) {
      ++arrived;
#pragma omp barrier
    }
  }
  long nested = 0;
#pragma omp parallel num_threads(4) reduction(+ : nested)
  {
    long inner = 0;
#pragma omp parallel num_threads(3) reduction(+ : inner)
    inner += omp_get_num_threads();
    nested += inner;
  }
  say("arrived: %ld, nested: %ld\n", arrived, nested);
}
