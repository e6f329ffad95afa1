// SPDX-License-Identifier: Apache-2.0
// A thread that holds a default rwlock for reading gets it again though a writer waits.

#include "support.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int written;

static void* write_it(void* argument) {
  OK(pthread_rwlock_wrlock(&lock));
  ++written;
  OK(pthread_rwlock_unlock(&lock));
  return argument;
}

int main(void) {
  OK(pthread_rwlock_rdlock(&lock));
  pthread_t writer = start(write_it, NULL);
  sleep_ms(50);
  OK(pthread_rwlock_rdlock(&lock));
  say("twice, written: %d\n", written);
  OK(pthread_rwlock_unlock(&lock));
  OK(pthread_rwlock_unlock(&lock));
  join(writer);
  say("written: %d\n", written);
  return 0;
}
