// SPDX-License-Identifier: Apache-2.0
// A thread can make and join another one while its own key destructors run.

#include "support.h"

static pthread_key_t key;
static int depth;

static void* run(void* argument) {
  OK(pthread_setspecific(key, &depth));
  return argument;
}

static void destroy(void* value) {
  CHECK(value == &depth);
  if (++depth < 5) join(start(run, NULL));
}

int main(void) {
  OK(pthread_key_create(&key, destroy));
  join(start(run, NULL));
  say("destroyed: %d\n", depth);
  return 0;
}
