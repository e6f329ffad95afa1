// SPDX-License-Identifier: Apache-2.0
// A deadline at the end of time waits until woken, and one before the epoch has passed.

#include "support.h"

#include <limits.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, held = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
static sem_t semaphore;
static int condition_met;
static atomic_int passed;
static const struct timespec never = {LONG_MAX, 999999999}, long_ago = {-5, 0};

static void* in_condition(void* argument) {
  OK(pthread_mutex_lock(&lock));
  while (!condition_met) OK(pthread_cond_timedwait(&changed, &lock, &never));
  OK(pthread_mutex_unlock(&lock));
  atomic_fetch_add(&passed, 1);
  return argument;
}
static void* in_mutex(void* argument) {
  OK(pthread_mutex_timedlock(&held, &never));
  OK(pthread_mutex_unlock(&held));
  atomic_fetch_add(&passed, 1);
  return argument;
}
static void* in_semaphore(void* argument) {
  OK(sem_timedwait(&semaphore, &never));
  atomic_fetch_add(&passed, 1);
  return argument;
}
static void* in_rwlock(void* argument) {
  OK(pthread_rwlock_clockrdlock(&table, CLOCK_MONOTONIC, &never));
  OK(pthread_rwlock_unlock(&table));
  atomic_fetch_add(&passed, 1);
  return argument;
}

int main(void) {
  OK(sem_init(&semaphore, 0, 0));
  OK(pthread_mutex_lock(&held));
  OK(pthread_rwlock_wrlock(&table));
  pthread_t threads[4] = {start(in_condition, NULL), start(in_mutex, NULL),
                          start(in_semaphore, NULL), start(in_rwlock, NULL)};
  sleep_ms(30);
  say("passed: %d\n", atomic_load(&passed));
  say("long ago: mutex %s, ", error_name(pthread_mutex_timedlock(&held, &long_ago)));
  int result = sem_timedwait(&semaphore, &long_ago);
  say("semaphore %d %s, ", result, error_name(errno));
  OK(pthread_mutex_lock(&lock));
  say("condition %s\n", error_name(pthread_cond_timedwait(&changed, &lock, &long_ago)));
  condition_met = 1;
  OK(pthread_cond_signal(&changed));
  OK(pthread_mutex_unlock(&lock));
  OK(pthread_mutex_unlock(&held));
  OK(pthread_rwlock_unlock(&table));
  OK(sem_post(&semaphore));
  for (int i = 0; i < 4; ++i) join(threads[i]);
  say("passed: %d\n", atomic_load(&passed));
  return 0;
}
