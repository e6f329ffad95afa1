// SPDX-License-Identifier: Apache-2.0
// Readers hold an rwlock together; a writer holds it alone, and tries are EBUSY where they would
// wait.

#include "support.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t together;

static void* read_together(void* argument) {
  OK(pthread_rwlock_rdlock(&lock));
  pthread_barrier_wait(&together);  // passes only if all eight are inside
  OK(pthread_rwlock_unlock(&lock));
  return argument;
}
static void* try_both(void* argument) {
  int error = pthread_rwlock_tryrdlock(&lock);
  say("%s: read %s", (const char*)argument, error_name(error));
  if (error == 0) OK(pthread_rwlock_unlock(&lock));
  error = pthread_rwlock_trywrlock(&lock);
  say(", write %s\n", error_name(error));
  if (error == 0) OK(pthread_rwlock_unlock(&lock));
  return NULL;
}

int main(void) {
  OK(pthread_barrier_init(&together, NULL, 8));
  pthread_t threads[8];
  for (int i = 0; i < 8; ++i) threads[i] = start(read_together, NULL);
  for (int i = 0; i < 8; ++i) join(threads[i]);
  join(start(try_both, "free"));
  OK(pthread_rwlock_rdlock(&lock));
  join(start(try_both, "read"));
  OK(pthread_rwlock_unlock(&lock));
  OK(pthread_rwlock_wrlock(&lock));
  join(start(try_both, "written"));
  say("owner: write %s\n", error_name(pthread_rwlock_wrlock(&lock)));
  OK(pthread_rwlock_unlock(&lock));
  OK(pthread_rwlock_destroy(&lock));
  return 0;
}
