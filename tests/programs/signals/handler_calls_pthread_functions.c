// SPDX-License-Identifier: Apache-2.0
// A handler of a synchronous raise may read errno's place, keys, and its own thread, and post a
// semaphore.

#include "support.h"

static pthread_key_t key;
static sem_t posted;
static _Thread_local int wrong;

static void handle(int number) {
  (void)number;
  wrong += *(pthread_t*)pthread_getspecific(key) != pthread_self();
  errno = ENOTTY;
  sem_post(&posted);
}
static void* run(void* argument) {
  pthread_t self = pthread_self();
  OK(pthread_setspecific(key, &self));
  for (int i = 0; i < 20; ++i) {
    errno = 0;
    OK(raise(SIGUSR1));
    CHECK(errno == ENOTTY);
    sleep_ms(1);
  }
  CHECK(wrong == 0);
  return argument;
}

int main(void) {
  OK(sem_init(&posted, 0, 0));
  OK(pthread_key_create(&key, NULL));
  on_signal(SIGUSR1, handle, 0);
  pthread_t threads[5];
  for (int i = 0; i < 5; ++i) threads[i] = start(run, NULL);
  for (int i = 0; i < 5; ++i) join(threads[i]);
  int value;
  OK(sem_getvalue(&posted, &value));
  say("posted: %d\n", value);
  return 0;
}
