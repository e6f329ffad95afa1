// SPDX-License-Identifier: Apache-2.0
// A thread that was made detached, or was detached later, can be neither joined nor detached
// again.

#include "support.h"

static pthread_barrier_t end;

static void* wait_for_end(void* argument) {
  pthread_barrier_wait(&end);
  return argument;
}

int main(void) {
  OK(pthread_barrier_init(&end, NULL, 3));
  pthread_attr_t attributes;
  OK(pthread_attr_init(&attributes));
  OK(pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED));
  pthread_t made, turned = start(wait_for_end, NULL);
  OK(pthread_create(&made, &attributes, wait_for_end, NULL));
  OK(pthread_detach(turned));
  say("join: %s %s\n", error_name(pthread_join(made, NULL)),
      error_name(pthread_join(turned, NULL)));
  say("detach: %s %s\n", error_name(pthread_detach(made)), error_name(pthread_detach(turned)));
  say("try: %s\n", error_name(pthread_tryjoin_np(turned, NULL)));
  pthread_barrier_wait(&end);
  OK(pthread_attr_destroy(&attributes));
  return 0;
}
