// SPDX-License-Identifier: Apache-2.0
// A thread that waits for a mutex, a condition, an rwlock, a barrier or a join runs handlers and
// waits on.

#include "support.h"

#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_t awaited;
static sem_t awaited_may_end;
static int condition_met;
static atomic_int handled, passed;
static atomic_int id_of_waiter;

static void handle(int number) {
  (void)number;
  CHECK(gettid() == atomic_load(&id_of_waiter));
  atomic_fetch_add(&handled, 1);
}
static void* in_mutex(void* argument) {
  atomic_store(&id_of_waiter, gettid());
  OK(pthread_mutex_lock(&lock));
  atomic_store(&passed, 1);
  OK(pthread_mutex_unlock(&lock));
  return argument;
}
static void* in_condition(void* argument) {
  atomic_store(&id_of_waiter, gettid());
  OK(pthread_mutex_lock(&lock));
  while (!condition_met) OK(pthread_cond_wait(&changed, &lock));
  atomic_store(&passed, 1);
  OK(pthread_mutex_unlock(&lock));
  return argument;
}
static void* in_rwlock(void* argument) {
  atomic_store(&id_of_waiter, gettid());
  OK(pthread_rwlock_rdlock(&table));
  atomic_store(&passed, 1);
  OK(pthread_rwlock_unlock(&table));
  return argument;
}
static void* in_barrier(void* argument) {
  atomic_store(&id_of_waiter, gettid());
  pthread_barrier_wait(&barrier);
  atomic_store(&passed, 1);
  return argument;
}
static void* in_join(void* argument) {
  atomic_store(&id_of_waiter, gettid());
  OK(pthread_join(awaited, NULL));
  atomic_store(&passed, 1);
  return argument;
}
static void* live_on(void* argument) {
  while (sem_wait(&awaited_may_end) != 0) {
  }
  return argument;
}

static pthread_t disturb(const char* name, void* (*function)(void*)) {
  atomic_store(&passed, 0);
  atomic_store(&id_of_waiter, 0);
  pthread_t thread = start(function, NULL);
  WAIT_FOR(atomic_load(&id_of_waiter) != 0);
  for (int i = 0; i < 4; ++i) {
    int before = atomic_load(&handled);
    OK(pthread_kill(thread, SIGUSR1));
    WAIT_FOR(atomic_load(&handled) > before);
    sleep_ms(2);
  }
  say("%s: passed %d\n", name, atomic_load(&passed));
  return thread;
}

int main(void) {
  on_signal(SIGUSR1, handle, 0);
  OK(pthread_mutex_lock(&lock));
  pthread_t thread = disturb("mutex", in_mutex);
  OK(pthread_mutex_unlock(&lock));
  join(thread);
  thread = disturb("condition", in_condition);
  OK(pthread_mutex_lock(&lock));
  condition_met = 1;
  OK(pthread_cond_signal(&changed));
  OK(pthread_mutex_unlock(&lock));
  join(thread);
  OK(pthread_rwlock_wrlock(&table));
  thread = disturb("rwlock", in_rwlock);
  OK(pthread_rwlock_unlock(&table));
  join(thread);
  OK(pthread_barrier_init(&barrier, NULL, 2));
  thread = disturb("barrier", in_barrier);
  pthread_barrier_wait(&barrier);
  join(thread);
  OK(sem_init(&awaited_may_end, 0, 0));
  awaited = start(live_on, NULL);
  thread = disturb("join", in_join);
  OK(sem_post(&awaited_may_end));
  join(thread);
  say("handled: %d\n", atomic_load(&handled));
  return 0;
}
