// SPDX-License-Identifier: Apache-2.0
// Cancellation state and type start as enabled and deferred, give back the old value and refuse
// what is none.

#include "support.h"

static void* look(void* argument) {
  int old;
  OK(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old));
  say("enabled: %d\n", old == PTHREAD_CANCEL_ENABLE);
  OK(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old));
  say("deferred: %d\n", old == PTHREAD_CANCEL_DEFERRED);
  OK(pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &old));
  say("asynchronous: %d\n", old == PTHREAD_CANCEL_ASYNCHRONOUS);
  say("bad state: %s\n", error_name(pthread_setcancelstate(77, &old)));
  say("bad type: %s\n", error_name(pthread_setcanceltype(77, &old)));
  return argument;
}

int main(void) {
  look(NULL);
  join(start(look, NULL));
  return 0;
}
