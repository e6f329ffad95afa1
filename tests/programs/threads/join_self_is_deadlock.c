// SPDX-License-Identifier: Apache-2.0
// Joining oneself is refused with EDEADLK, in the initial thread and in another.

#include "support.h"

static void* join_self(void* argument) {
  (void)argument;
  say("thread: %s\n", error_name(pthread_join(pthread_self(), NULL)));
  return NULL;
}

int main(void) {
  say("main: %s\n", error_name(pthread_join(pthread_self(), NULL)));
  join(start(join_self, NULL));
  return 0;
}
