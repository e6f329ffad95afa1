// SPDX-License-Identifier: Apache-2.0
// A thread's policy and priority are the default ones and can be set to what they are.

#include "support.h"

#include <sched.h>

static void* look(void* argument) {
  int policy;
  struct sched_param parameters;
  OK(pthread_getschedparam(pthread_self(), &policy, &parameters));
  say("other: %d, priority %d\n", policy == SCHED_OTHER, parameters.sched_priority);
  OK(pthread_setschedparam(pthread_self(), policy, &parameters));
  say("bad policy: %s\n", error_name(pthread_setschedparam(pthread_self(), 12345, &parameters)));
  OK(pthread_setschedprio(pthread_self(), 0));
  say("yield: %d\n", sched_yield());
  return argument;
}

int main(void) {
  look(NULL);
  join(start(look, NULL));
  return 0;
}
