// SPDX-License-Identifier: Apache-2.0
// A thread's affinity is set by its attribute, read back by another, and can be changed.

#include "support.h"

#include <sched.h>

static sem_t looked, may_end;

static void* stay(void* argument) {
  cpu_set_t set;
  OK(pthread_getaffinity_np(pthread_self(), sizeof set, &set));
  say("in the thread: %d CPU\n", CPU_COUNT(&set));
  OK(sem_post(&looked));
  OK(sem_wait(&may_end));
  return argument;
}

int main(void) {
  OK(sem_init(&looked, 0, 0));
  OK(sem_init(&may_end, 0, 0));
  cpu_set_t all, one, got;
  OK(sched_getaffinity(0, sizeof all, &all));
  int cpu = 0;
  while (!CPU_ISSET(cpu, &all)) ++cpu;
  CPU_ZERO(&one);
  CPU_SET(cpu, &one);
  pthread_attr_t attributes;
  OK(pthread_attr_init(&attributes));
  OK(pthread_attr_setaffinity_np(&attributes, sizeof one, &one));
  pthread_t thread;
  OK(pthread_create(&thread, &attributes, stay, NULL));
  OK(sem_wait(&looked));
  OK(pthread_getaffinity_np(thread, sizeof got, &got));
  say("as set: %d\n", CPU_EQUAL(&got, &one));
  OK(pthread_setaffinity_np(thread, sizeof all, &all));
  OK(pthread_getaffinity_np(thread, sizeof got, &got));
  say("as set later: %d\n", CPU_EQUAL(&got, &all));
  OK(pthread_attr_destroy(&attributes));
  OK(sem_post(&may_end));
  join(thread);
  CPU_ZERO(&one);
  say("no CPU at all: %s\n", error_name(pthread_setaffinity_np(pthread_self(), sizeof one, &one)));
  return 0;
}
