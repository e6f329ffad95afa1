// SPDX-License-Identifier: Apache-2.0
// Eight threads compute long sums at the same time; each result is what one thread alone gets.
#include "../io_support.h"

static void* sum_up(void* index) {
  uint64_t state = (uint64_t)(intptr_t)index + 1, sum = 0;
  for (int i = 0; i < 3000000; ++i) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    sum += state;
  }
  return (void*)(uintptr_t)sum;
}

int main(void) {
  pthread_t threads[8];
  for (intptr_t i = 0; i < 8; ++i) threads[i] = start(sum_up, (void*)i);
  for (intptr_t i = 0; i < 8; ++i) {
    const uint64_t sum = (uint64_t)(uintptr_t)finish(threads[i]);
    printf("%016llx\n", (unsigned long long)sum);
  }
  return 0;
}
