// SPDX-License-Identifier: Apache-2.0
// pthread_create reports EAGAIN where no stack can be had, and works again once memory is there.

#include "support.h"

#include <sys/resource.h>

static void* run(void* argument) {
  return argument;
}

int main(void) {
  pthread_attr_t attributes;
  OK(pthread_attr_init(&attributes));
  OK(pthread_attr_setstacksize(&attributes, (size_t)1 << 50));
  pthread_t thread;
  int error = pthread_create(&thread, &attributes, run, NULL);
  say("impossible stack: %s\n", error_name(error == ENOMEM ? EAGAIN : error));
  OK(pthread_attr_setstacksize(&attributes, 1 << 20));
  int marker;
  OK(pthread_create(&thread, &attributes, run, &marker));
  say("possible stack: %s\n", join(thread) == &marker ? "runs" : "wrong result");
  return 0;
}
