// SPDX-License-Identifier: Apache-2.0
// Locks, forks and names are no cancellation points: who is to be cancelled gets past them.
#include "../io_support.h"

#include <sys/prctl.h>
#include <unistd.h>

static pthread_mutex_t robust, inheriting, plain = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t shared_rwlock;
static atomic_int ready, cancelled, steps;
static atomic_int child;

static void lock_and_unlock(pthread_mutex_t* mutex) {
  CHECK(pthread_mutex_lock(mutex) == 0 && pthread_mutex_unlock(mutex) == 0);
  CHECK(pthread_mutex_trylock(mutex) == 0 && pthread_mutex_unlock(mutex) == 0);
  atomic_fetch_add(&steps, 1);
}

static void* run(void* unused) {
  atomic_store(&ready, 1);
  while (atomic_load(&cancelled) == 0) {
  }
  lock_and_unlock(&plain);
  lock_and_unlock(&robust);
  lock_and_unlock(&inheriting);
  CHECK(pthread_rwlock_rdlock(&shared_rwlock) == 0 && pthread_rwlock_unlock(&shared_rwlock) == 0);
  CHECK(pthread_rwlock_wrlock(&shared_rwlock) == 0 && pthread_rwlock_unlock(&shared_rwlock) == 0);
  char name[16];
  CHECK(pthread_setname_np(pthread_self(), "other") == 0);
  CHECK(pthread_getname_np(pthread_self(), name, sizeof(name)) == 0);
  CHECK(prctl(PR_GET_NAME, name) == 0);
  const pid_t made = fork();
  if (made == 0) _exit(0);
  CHECK(made > 0);
  atomic_store(&child, made);
  atomic_fetch_add(&steps, 1);
  pthread_testcancel();
  atomic_fetch_add(&steps, 100);
  return unused;
}

int main(void) {
  pthread_mutexattr_t attributes;
  CHECK(pthread_mutexattr_init(&attributes) == 0);
  CHECK(pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST) == 0);
  CHECK(pthread_mutex_init(&robust, &attributes) == 0);
  CHECK(pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_STALLED) == 0);
  CHECK(pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT) == 0);
  CHECK(pthread_mutex_init(&inheriting, &attributes) == 0);
  pthread_rwlockattr_t shared;
  CHECK(pthread_rwlockattr_init(&shared) == 0);
  CHECK(pthread_rwlockattr_setpshared(&shared, PTHREAD_PROCESS_SHARED) == 0);
  CHECK(pthread_rwlock_init(&shared_rwlock, &shared) == 0);

  const pthread_t thread = start(run, NULL);
  while (atomic_load(&ready) == 0) sched_yield();
  CHECK(pthread_cancel(thread) == 0);
  atomic_store(&cancelled, 1);
  void* result;
  CHECK(pthread_join(thread, &result) == 0);
  CHECK(waitpid(atomic_load(&child), NULL, 0) == atomic_load(&child));
  printf("%d steps, %s\n", atomic_load(&steps),
         result == PTHREAD_CANCELED ? "then cancelled" : "not cancelled");
  return 0;
}
