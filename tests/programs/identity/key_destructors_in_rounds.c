// SPDX-License-Identifier: Apache-2.0
// A destructor that sets its key again is called again, up to PTHREAD_DESTRUCTOR_ITERATIONS times.

#include "support.h"

#include <limits.h>

static pthread_key_t again, once;
static int calls_of_again, calls_of_once;

static void set_again(void* value) {
  ++calls_of_again;
  OK(pthread_setspecific(again, value));
}
static void count_once(void* value) {
  CHECK(value == &calls_of_once && pthread_getspecific(once) == NULL);
  sleep_ms(2);
  ++calls_of_once;
}

static void* run(void* argument) {
  OK(pthread_setspecific(again, &calls_of_again));
  OK(pthread_setspecific(once, &calls_of_once));
  return argument;
}

int main(void) {
  OK(pthread_key_create(&again, set_again));
  OK(pthread_key_create(&once, count_once));
  join(start(run, NULL));
  say("again: %d, once: %d\n", calls_of_again == PTHREAD_DESTRUCTOR_ITERATIONS, calls_of_once);
  return 0;
}
