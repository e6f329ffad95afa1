// SPDX-License-Identifier: Apache-2.0
// A thousand threads can all wait at the same time for one that lets them go.

#include "support.h"

enum { count = 1000 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all_here = PTHREAD_COND_INITIALIZER, open_gate = PTHREAD_COND_INITIALIZER;
static int here, is_open, through;

static void* pass(void* argument) {
  pthread_mutex_lock(&lock);
  if (++here == count) pthread_cond_signal(&all_here);
  while (!is_open) pthread_cond_wait(&open_gate, &lock);
  ++through;
  pthread_mutex_unlock(&lock);
  return argument;
}

int main(void) {
  static pthread_t threads[count];
  pthread_attr_t attributes;
  OK(pthread_attr_init(&attributes));
  OK(pthread_attr_setstacksize(&attributes, 65536));
  for (int i = 0; i < count; ++i) OK(pthread_create(&threads[i], &attributes, pass, NULL));
  pthread_mutex_lock(&lock);
  while (here < count) pthread_cond_wait(&all_here, &lock);
  say("waiting: %d, through: %d\n", here, through);
  is_open = 1;
  pthread_cond_broadcast(&open_gate);
  pthread_mutex_unlock(&lock);
  for (int i = 0; i < count; ++i) join(threads[i]);
  say("through: %d\n", through);
  return 0;
}
