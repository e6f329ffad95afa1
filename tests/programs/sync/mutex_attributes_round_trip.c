// SPDX-License-Identifier: Apache-2.0
// What is set in mutex attributes is read back, and what does not exist is refused.

#include "support.h"

int main(void) {
  pthread_mutexattr_t attributes;
  OK(pthread_mutexattr_init(&attributes));
  int value;
  OK(pthread_mutexattr_gettype(&attributes, &value));
  say("default type: %d\n", value == PTHREAD_MUTEX_DEFAULT);
  OK(pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE));
  OK(pthread_mutexattr_gettype(&attributes, &value));
  say("type: %d\n", value == PTHREAD_MUTEX_RECURSIVE);
  say("bad type: %s\n", error_name(pthread_mutexattr_settype(&attributes, 99)));
  OK(pthread_mutexattr_getpshared(&attributes, &value));
  say("private: %d\n", value == PTHREAD_PROCESS_PRIVATE);
  say("bad sharing: %s\n", error_name(pthread_mutexattr_setpshared(&attributes, 99)));
  OK(pthread_mutexattr_getrobust(&attributes, &value));
  say("stalled: %d\n", value == PTHREAD_MUTEX_STALLED);
  OK(pthread_mutexattr_getprotocol(&attributes, &value));
  say("no protocol: %d\n", value == PTHREAD_PRIO_NONE);
  say("bad protocol: %s\n", error_name(pthread_mutexattr_setprotocol(&attributes, 99)));
  OK(pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_PROTECT));
  OK(pthread_mutexattr_setprioceiling(&attributes, 5));
  OK(pthread_mutexattr_getprioceiling(&attributes, &value));
  say("ceiling: %d\n", value);
  OK(pthread_mutexattr_destroy(&attributes));
  return 0;
}
