// SPDX-License-Identifier: Apache-2.0
// sem_post in a signal handler wakes a thread that waits for the semaphore.

#include "support.h"

static sem_t semaphore;

static void post(int number) {
  (void)number;
  int error = errno;
  OK(sem_post(&semaphore));
  errno = error;
}
static void* wait_for_it(void* argument) {
  sigset_t set = only(SIGUSR1);
  OK(pthread_sigmask(SIG_BLOCK, &set, NULL));
  for (int i = 0; i < 20; ++i) OK(sem_wait(&semaphore));
  return argument;
}

int main(void) {
  OK(sem_init(&semaphore, 0, 0));
  on_signal(SIGUSR1, post, SA_RESTART);
  pthread_t thread = start(wait_for_it, NULL);
  for (int i = 0; i < 20; ++i) {
    OK(raise(SIGUSR1));
    if (i % 4 == 0) sleep_ms(2);
  }
  join(thread);
  int left;
  OK(sem_getvalue(&semaphore, &left));
  say("left: %d\n", left);
  return 0;
}
