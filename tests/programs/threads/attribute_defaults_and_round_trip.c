// SPDX-License-Identifier: Apache-2.0
// What is set in thread attributes is read back, and what cannot be is refused with EINVAL.

#include "support.h"

#include <limits.h>
#include <sched.h>

int main(void) {
  pthread_attr_t attributes;
  OK(pthread_attr_init(&attributes));
  int number;
  size_t size;
  OK(pthread_attr_getdetachstate(&attributes, &number));
  say("joinable at first: %d\n", number == PTHREAD_CREATE_JOINABLE);
  OK(pthread_attr_getguardsize(&attributes, &size));
  say("guard of a page: %d\n", size == (size_t)sysconf(_SC_PAGESIZE));
  OK(pthread_attr_setguardsize(&attributes, 65536));
  OK(pthread_attr_getguardsize(&attributes, &size));
  say("guard set: %zu\n", size);
  OK(pthread_attr_setstacksize(&attributes, 1 << 20));
  OK(pthread_attr_getstacksize(&attributes, &size));
  say("stack set: %zu\n", size);
  say("stack too small: %s\n", error_name(pthread_attr_setstacksize(&attributes, 100)));
  say("bad detach state: %s\n", error_name(pthread_attr_setdetachstate(&attributes, 77)));
  OK(pthread_attr_getinheritsched(&attributes, &number));
  say("inherits scheduling: %d\n", number == PTHREAD_INHERIT_SCHED);
  say("bad inheritance: %s\n", error_name(pthread_attr_setinheritsched(&attributes, 77)));
  OK(pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED));
  OK(pthread_attr_getinheritsched(&attributes, &number));
  say("explicit: %d\n", number == PTHREAD_EXPLICIT_SCHED);
  OK(pthread_attr_getscope(&attributes, &number));
  say("system scope: %d\n", number == PTHREAD_SCOPE_SYSTEM);
  OK(pthread_attr_destroy(&attributes));
  return 0;
}
