// SPDX-License-Identifier: Apache-2.0
// A chain of 300 threads, each made and joined by the one before it, passes a sum back to the
// first.

#include "support.h"

#include <stdint.h>

static void* link_up(void* left) {
  intptr_t number = (intptr_t)left;
  if (number == 0) return NULL;
  return (void*)(number + (intptr_t)join(start(link_up, (void*)(number - 1))));
}

int main(void) {
  say("sum: %d\n", (int)(intptr_t)link_up((void*)300));
  return 0;
}
