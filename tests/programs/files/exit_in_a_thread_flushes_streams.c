// SPDX-License-Identifier: Apache-2.0
// exit called in a thread flushes what was printed and ends the whole process with its code.
// exits: 42
#include "../io_support.h"

static void* leave(void* unused) {
  (void)unused;
  printf(" and in the thread");
  exit(42);
}

int main(void) {
  printf("printed in main");
  const pthread_t thread = start(leave, NULL);
  for (;;) pthread_join(thread, NULL);
}
