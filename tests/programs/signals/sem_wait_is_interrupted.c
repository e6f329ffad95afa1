// SPDX-License-Identifier: Apache-2.0
// A signal makes sem_wait and sem_timedwait fail with EINTR; with SA_RESTART sem_wait goes on.

#include "support.h"

#include <stdatomic.h>

static sem_t semaphore;
static atomic_int finished, handled;

static void handle(int number) {
  (void)number;
  atomic_fetch_add(&handled, 1);
}
static void* in_wait(void* argument) {
  int result = sem_wait(&semaphore);
  say("sem_wait: %d %s\n", result, result == 0 ? "taken" : error_name(errno));
  atomic_store(&finished, 1);
  return argument;
}
static void* in_timedwait(void* argument) {
  struct timespec until = after_ms(CLOCK_REALTIME, 1000000);
  int result = sem_timedwait(&semaphore, &until);
  say("sem_timedwait: %d %s\n", result, error_name(errno));
  atomic_store(&finished, 1);
  return argument;
}

static void disturb(void* (*function)(void*)) {
  atomic_store(&finished, 0);
  pthread_t thread = start(function, NULL);
  while (!atomic_load(&finished)) {
    OK(pthread_kill(thread, SIGUSR1));
    sleep_ms(5);
  }
  join(thread);
}

int main(void) {
  OK(sem_init(&semaphore, 0, 0));
  on_signal(SIGUSR1, handle, 0);
  disturb(in_wait);
  disturb(in_timedwait);
  on_signal(SIGUSR1, handle, SA_RESTART);
  pthread_t thread = start(in_wait, NULL);
  for (int i = 0; i < 4; ++i) {
    int before = atomic_load(&handled);
    OK(pthread_kill(thread, SIGUSR1));
    WAIT_FOR(atomic_load(&handled) > before);
    sleep_ms(3);
  }
  OK(sem_post(&semaphore));
  join(thread);
  return 0;
}
