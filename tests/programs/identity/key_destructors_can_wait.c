// SPDX-License-Identifier: Apache-2.0
// Key destructors run in their own thread with its identity, and may lock, wait and make system
// calls.

#include "support.h"

static pthread_key_t key;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ended;

struct Mine {
  pthread_t self;
  pid_t id;
};

static void end(void* value) {
  struct Mine* mine = value;
  CHECK(pthread_equal(mine->self, pthread_self()) && mine->id == gettid());
  pthread_mutex_lock(&lock);
  ++ended;
  pthread_cond_broadcast(&changed);
  while (ended < 8) pthread_cond_wait(&changed, &lock);
  pthread_mutex_unlock(&lock);
  CHECK(mine->id == gettid());
}

static void* run(void* argument) {
  struct Mine* mine = argument;
  mine->self = pthread_self();
  mine->id = gettid();
  OK(pthread_setspecific(key, mine));
  sleep_ms(1);
  return NULL;
}

int main(void) {
  OK(pthread_key_create(&key, end));
  struct Mine places[8];
  pthread_t threads[8];
  for (int i = 0; i < 8; ++i) threads[i] = start(run, &places[i]);
  for (int i = 0; i < 8; ++i) join(threads[i]);
  say("ended together: %d\n", ended);
  return 0;
}
