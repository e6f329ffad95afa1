// SPDX-License-Identifier: Apache-2.0
// Under every preference, writers change two values together and no reader sees them differ.

#include "support.h"

static pthread_rwlock_t lock;
static long first, second;

static void* write_it(void* argument) {
  for (int i = 0; i < 300; ++i) {
    OK(pthread_rwlock_wrlock(&lock));
    ++first;
    if (i % 50 == 0) usleep(100);
    ++second;
    OK(pthread_rwlock_unlock(&lock));
  }
  return argument;
}
static void* read_it(void* argument) {
  for (int i = 0; i < 300; ++i) {
    OK(pthread_rwlock_rdlock(&lock));
    CHECK(first == second);
    if (i % 50 == 0) usleep(100);
    OK(pthread_rwlock_unlock(&lock));
  }
  return argument;
}

int main(void) {
  static const int preferences[] = {PTHREAD_RWLOCK_PREFER_READER_NP,
                                    PTHREAD_RWLOCK_PREFER_WRITER_NP,
                                    PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP};
  for (int i = 0; i < 3; ++i) {
    pthread_rwlockattr_t attributes;
    OK(pthread_rwlockattr_init(&attributes));
    OK(pthread_rwlockattr_setkind_np(&attributes, preferences[i]));
    OK(pthread_rwlock_init(&lock, &attributes));
    first = second = 0;
    pthread_t threads[8];
    for (int j = 0; j < 8; ++j) threads[j] = start(j < 3 ? write_it : read_it, NULL);
    for (int j = 0; j < 8; ++j) join(threads[j]);
    OK(pthread_rwlock_destroy(&lock));
    say("preference %d: %ld\n", i, first);
  }
  return 0;
}
