// SPDX-License-Identifier: Apache-2.0
// With writer preference, a new reader waits behind a waiting writer; without it, it does not.

#include "support.h"

#include <stdatomic.h>

static pthread_rwlock_t lock;
static atomic_int written;

static void* write_it(void* argument) {
  OK(pthread_rwlock_wrlock(&lock));
  atomic_store(&written, 1);
  OK(pthread_rwlock_unlock(&lock));
  return argument;
}
static void* try_read(void* result) {
  struct timespec until = after_ms(CLOCK_REALTIME, 20);
  int error = pthread_rwlock_timedrdlock(&lock, &until);
  if (error == 0) OK(pthread_rwlock_unlock(&lock));
  *(int*)result = error;
  return NULL;
}

static void run(int preference, int attempts, const char* name) {
  pthread_rwlockattr_t attributes;
  OK(pthread_rwlockattr_init(&attributes));
  OK(pthread_rwlockattr_setkind_np(&attributes, preference));
  OK(pthread_rwlock_init(&lock, &attributes));
  atomic_store(&written, 0);
  OK(pthread_rwlock_rdlock(&lock));
  pthread_t writer = start(write_it, NULL);
  int error = 0;
  // Nobody can see when the writer waits: until then the reader gets the lock.
  for (int attempt = 0; error == 0 && attempt != attempts; ++attempt) {
    sleep_ms(10);
    join(start(try_read, &error));
  }
  say("%s: reader %s, written %d\n", name, error_name(error), atomic_load(&written));
  OK(pthread_rwlock_unlock(&lock));
  join(writer);
  OK(pthread_rwlock_destroy(&lock));
}

int main(void) {
  run(PTHREAD_RWLOCK_PREFER_READER_NP, 5, "readers first");
  run(PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP, -1, "writers first");
  return 0;
}
