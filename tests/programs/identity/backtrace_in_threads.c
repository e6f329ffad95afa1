// SPDX-License-Identifier: Apache-2.0
// backtrace() in a thread, after waits and deep in a recursion, sees at least the frames of the
// program.

#include "support.h"

#include <execinfo.h>
#include <stdint.h>

__attribute__((noinline)) static int descend(int depth) {
  volatile int here = depth;
  if (here == 0) {
    void* frames[64];
    sleep_ms(1);
    return backtrace(frames, 64);
  }
  int found = descend(here - 1);
  return found + here * 0;
}

static void* look(void* argument) {
  for (int round = 0; round < 5; ++round) CHECK(descend(10) >= 12);
  return argument;
}

int main(void) {
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i) threads[i] = start(look, NULL);
  for (int i = 0; i < 4; ++i) join(threads[i]);
  CHECK(descend(10) >= 12);
  say("frames are seen\n");
  return 0;
}
