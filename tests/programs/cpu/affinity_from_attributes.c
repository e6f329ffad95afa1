// SPDX-License-Identifier: Apache-2.0
// A thread starts with the CPU set of its attributes, and others can read and change it.
#include "../io_support.h"

#include <sched.h>

static pthread_barrier_t changed;
static cpu_set_t one, all;

static void* check_own(void* unused) {
  (void)unused;
  cpu_set_t own;
  CHECK(sched_getaffinity(0, sizeof own, &own) == 0);
  CHECK(CPU_EQUAL(&own, &one));
  pthread_barrier_wait(&changed);
  pthread_barrier_wait(&changed);
  CHECK(sched_getaffinity(0, sizeof own, &own) == 0);
  CHECK(CPU_EQUAL(&own, &all));
  return NULL;
}

static void body(void) {
  CHECK(sched_getaffinity(0, sizeof all, &all) == 0);
  int last = 0;
  for (int i = 0; i < CPU_SETSIZE; ++i) last = CPU_ISSET(i, &all) ? i : last;
  CPU_ZERO(&one);
  CPU_SET(last, &one);
  pthread_attr_t attributes;
  CHECK(pthread_attr_init(&attributes) == 0);
  CHECK(pthread_attr_setaffinity_np(&attributes, sizeof one, &one) == 0);
  pthread_t thread;
  CHECK(pthread_create(&thread, &attributes, check_own, NULL) == 0);
  pthread_barrier_wait(&changed);
  cpu_set_t theirs;
  CHECK(pthread_getaffinity_np(thread, sizeof theirs, &theirs) == 0);
  CHECK(CPU_EQUAL(&theirs, &one));
  CHECK(pthread_setaffinity_np(thread, sizeof all, &all) == 0);
  pthread_barrier_wait(&changed);
  finish(thread);
  pthread_attr_destroy(&attributes);
  printf("kept\n");
}

int main(void) {
  CHECK(pthread_barrier_init(&changed, NULL, 2) == 0);
  in_main_and_thread(body);
  return 0;
}
