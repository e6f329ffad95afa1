// SPDX-License-Identifier: Apache-2.0
// A thread with a stack of 32 MiB can use 28 MiB of it, also across waits.

#include "support.h"

#include <sched.h>

static int descend(int depth) {
  volatile char frame[65536];
  frame[0] = 1;
  frame[sizeof frame - 1] = 1;
  if (depth % 64 == 0) sleep_ms(1);
  int below = depth > 0 ? descend(depth - 1) : 0;
  return below + frame[0] * frame[sizeof frame - 1];
}

static void* use_stack(void* argument) {
  say("frames: %d\n", descend(447));
  return argument;
}

int main(void) {
  pthread_attr_t attributes;
  OK(pthread_attr_init(&attributes));
  OK(pthread_attr_setstacksize(&attributes, 32 << 20));
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) OK(pthread_create(&threads[i], &attributes, use_stack, NULL));
  for (int i = 0; i < 2; ++i) join(threads[i]);
  return 0;
}
