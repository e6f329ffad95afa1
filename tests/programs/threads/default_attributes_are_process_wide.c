// SPDX-License-Identifier: Apache-2.0
// pthread_setattr_default_np decides the stack size of threads made without attributes.

#include "support.h"

static void* look(void* argument) {
  pthread_attr_t attributes;
  size_t size;
  OK(pthread_getattr_np(pthread_self(), &attributes));
  OK(pthread_attr_getstacksize(&attributes, &size));
  OK(pthread_attr_destroy(&attributes));
  say("stack: %zu KiB\n", size / 1024);
  return argument;
}

int main(void) {
  pthread_attr_t attributes;
  OK(pthread_attr_init(&attributes));
  OK(pthread_attr_setstacksize(&attributes, 3 << 20));
  OK(pthread_setattr_default_np(&attributes));
  OK(pthread_attr_destroy(&attributes));
  join(start(look, NULL));
  OK(pthread_getattr_default_np(&attributes));
  size_t size;
  OK(pthread_attr_getstacksize(&attributes, &size));
  say("default: %zu KiB\n", size / 1024);
  OK(pthread_attr_destroy(&attributes));
  return 0;
}
