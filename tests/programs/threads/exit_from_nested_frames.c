// SPDX-License-Identifier: Apache-2.0
// pthread_exit far down a recursion ends the thread with its result, and runs what was pushed on
// the way.

#include "support.h"

#include <stdint.h>

static void count_down(void* left) {
  --*(int*)left;
}

static int descend(int depth, int* open) {
  volatile char frame[512];
  frame[0] = (char)depth;
  if (depth < 0) return 0;
  if (depth == 0) pthread_exit((void*)(intptr_t)*open);
  int result = 0;
  ++*open;
  pthread_cleanup_push(count_down, open);
  result = descend(depth - 1, open) + frame[0];
  pthread_cleanup_pop(0);
  return result;
}

static void* run(void* open) {
  descend(40, (int*)open);
  return NULL;
}

int main(void) {
  int open = 0;
  intptr_t result = (intptr_t)join(start(run, &open));
  say("open at the exit: %d, after it: %d\n", (int)result, open);
  return 0;
}
