// SPDX-License-Identifier: Apache-2.0
// A thread cancelled in pthread_cond_wait or timedwait holds the mutex again when its cleanup
// handlers run.

#include "support.h"

static pthread_mutex_t lock = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static sem_t waiting;

static void unlock(void* argument) {
  say("unlock in the handler: %s\n", error_name(pthread_mutex_unlock(argument)));
}
static void* wait_for_it(void* timed) {
  OK(pthread_mutex_lock(&lock));
  pthread_cleanup_push(unlock, &lock);
  OK(sem_post(&waiting));
  struct timespec until = after_ms(CLOCK_REALTIME, 1000000);
  for (;;) {
    if (timed != NULL) {
      pthread_cond_timedwait(&never, &lock, &until);
    } else {
      pthread_cond_wait(&never, &lock);
    }
  }
  pthread_cleanup_pop(0);
  return NULL;
}

int main(void) {
  OK(sem_init(&waiting, 0, 0));
  for (int round = 0; round < 4; ++round) {
    pthread_t thread = start(wait_for_it, round % 2 == 0 ? NULL : &lock);
    OK(sem_wait(&waiting));
    if (round < 2) sleep_ms(20);
    OK(pthread_mutex_lock(&lock));
    OK(pthread_cancel(thread));
    OK(pthread_mutex_unlock(&lock));
    say("cancelled: %d\n", join(thread) == PTHREAD_CANCELED);
  }
  return 0;
}
