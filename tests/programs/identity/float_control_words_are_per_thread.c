// SPDX-License-Identifier: Apache-2.0
// MXCSR's flush-to-zero and the x87 precision control set in one thread neither leak to others nor
// get lost.

#include "support.h"

#include <stdint.h>
#include <xmmintrin.h>

static unsigned short x87_control(void) {
  unsigned short word;
  __asm__ volatile("fnstcw %0" : "=m"(word));
  return word;
}

static void set_x87_control(unsigned short word) {
  __asm__ volatile("fldcw %0" : : "m"(word));
}

static void* keep(void* index) {
  unsigned mxcsr = _mm_getcsr() & ~0x3fU;
  unsigned short x87 = x87_control();
  if ((intptr_t)index % 2 == 1) {
    mxcsr |= 0x8000;  // flush to zero
    x87 = (unsigned short)(x87 & ~0x300U);
    _mm_setcsr(mxcsr);
    set_x87_control(x87);
  }
  for (int round = 0; round < 20; ++round) {
    CHECK((_mm_getcsr() & ~0x3fU) == mxcsr && x87_control() == x87);
    sleep_ms(1);
  }
  return NULL;
}

int main(void) {
  pthread_t threads[6];
  for (intptr_t i = 0; i < 6; ++i) threads[i] = start(keep, (void*)i);
  for (int i = 0; i < 6; ++i) join(threads[i]);
  say("each kept its own\n");
  return 0;
}
