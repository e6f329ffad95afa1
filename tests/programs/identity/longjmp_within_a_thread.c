// SPDX-License-Identifier: Apache-2.0
// setjmp and longjmp work within each thread, across frames and waits.

#include "support.h"

#include <setjmp.h>
#include <stdint.h>

static void descend(int depth, jmp_buf back, int value) {
  volatile char frame[128];
  frame[0] = (char)depth;
  if (depth < 0) return;
  if (depth == 0) {
    sleep_ms(1);
    longjmp(back, value);
  }
  descend(depth - 1, back, value + frame[0] * 0);
}

static void* jump(void* index) {
  volatile intptr_t sum = 0;
  for (volatile int round = 1; round <= 10; ++round) {
    jmp_buf back;
    int value = setjmp(back);
    if (value == 0) descend(20, back, round);
    sum += value;
    sleep_ms(1);
  }
  return (void*)(sum + (intptr_t)index);
}

int main(void) {
  pthread_t threads[6];
  for (intptr_t i = 0; i < 6; ++i) threads[i] = start(jump, (void*)i);
  for (int i = 0; i < 6; ++i) say("%d\n", (int)(intptr_t)join(threads[i]));
  return 0;
}
