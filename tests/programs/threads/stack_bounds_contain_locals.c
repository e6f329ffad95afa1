// SPDX-License-Identifier: Apache-2.0
// pthread_getattr_np reports a stack that contains the caller's locals, for the first thread, for
// another, and when asked about one by the other.

#include "support.h"

#include <stdint.h>

static pthread_barrier_t asked;

static int contains(pthread_t thread, const void* local) {
  pthread_attr_t attributes;
  void* address;
  size_t size;
  OK(pthread_getattr_np(thread, &attributes));
  OK(pthread_attr_getstack(&attributes, &address, &size));
  OK(pthread_attr_destroy(&attributes));
  return (uintptr_t)local >= (uintptr_t)address && (uintptr_t)local < (uintptr_t)address + size;
}

static int* shown;

static void* look(void* argument) {
  int local = 0;
  say("thread: %d\n", contains(pthread_self(), &local));
  shown = &local;
  pthread_barrier_wait(&asked);
  pthread_barrier_wait(&asked);
  say("thread, after a wait: %d\n", contains(pthread_self(), &local));
  shown = NULL;
  return argument;
}

int main(void) {
  OK(pthread_barrier_init(&asked, NULL, 2));
  int local = 0;
  say("main: %d\n", contains(pthread_self(), &local));
  pthread_t thread = start(look, NULL);
  pthread_barrier_wait(&asked);
  say("about another: %d, not mine: %d\n", contains(thread, shown), contains(thread, &local));
  pthread_barrier_wait(&asked);
  join(thread);
  return 0;
}
