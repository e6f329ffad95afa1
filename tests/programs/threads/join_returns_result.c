// SPDX-License-Identifier: Apache-2.0
// pthread_join gives the value that the start routine returned or handed to pthread_exit.

#include "support.h"

#include <stdint.h>

static void* by_return(void* argument) {
  return (void*)((intptr_t)argument * 2);
}
static void* by_exit(void* argument) {
  pthread_exit((void*)((intptr_t)argument * 3));
}

int main(void) {
  for (intptr_t number = 1; number <= 5; ++number) {
    pthread_t returning = start(by_return, (void*)number);
    pthread_t exiting = start(by_exit, (void*)number);
    say("%d %d\n", (int)(intptr_t)join(returning), (int)(intptr_t)join(exiting));
  }
  return 0;
}
