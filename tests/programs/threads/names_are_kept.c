// SPDX-License-Identifier: Apache-2.0
// A thread's name is set and read by itself and by others, is at most 15 bytes, and survives
// waits.

#include "support.h"

#include <sys/prctl.h>

static pthread_barrier_t turn;

static void* be_named(void* argument) {
  char name[16];
  OK(pthread_setname_np(pthread_self(), "by itself"));
  sleep_ms(5);
  OK(prctl(PR_GET_NAME, name));
  say("prctl reads: %s\n", name);
  pthread_barrier_wait(&turn);
  pthread_barrier_wait(&turn);
  OK(pthread_getname_np(pthread_self(), name, sizeof name));
  say("itself reads: %s\n", name);
  return argument;
}

int main(void) {
  OK(pthread_barrier_init(&turn, NULL, 2));
  char name[16];
  pthread_t thread = start(be_named, NULL);
  pthread_barrier_wait(&turn);
  OK(pthread_getname_np(thread, name, sizeof name));
  say("another reads: %s\n", name);
  OK(pthread_setname_np(thread, "by another, 15b"));
  say("too long: %s\n", error_name(pthread_setname_np(thread, "sixteen bytes long")));
  say("too short a buffer: %s\n", error_name(pthread_getname_np(thread, name, 3)));
  pthread_barrier_wait(&turn);
  join(thread);
  return 0;
}
