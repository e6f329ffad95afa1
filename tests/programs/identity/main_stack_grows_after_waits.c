// SPDX-License-Identifier: Apache-2.0
// The initial thread's stack grows on demand, also after it has waited for other threads.

#include "support.h"

static int descend(int depth) {
  volatile char frame[16384];
  frame[0] = 1;
  frame[sizeof frame - 1] = 1;
  int below = depth > 0 ? descend(depth - 1) : 0;
  return below + frame[0] * frame[sizeof frame - 1];
}

static void* nap(void* argument) {
  sleep_ms(2);
  return argument;
}

int main(void) {
  for (int round = 1; round <= 4; ++round) {
    join(start(nap, NULL));
    say("frames: %d\n", descend(round * 100));
  }
  return 0;
}
