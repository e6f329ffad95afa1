// SPDX-License-Identifier: Apache-2.0
// A signal to the process that only one thread has open is handled in that thread, wherever it
// waits.

#include "support.h"

#include <stdatomic.h>

static atomic_int handled, id_of_handler, id_of_open, stop;

static void handle(int number) {
  (void)number;
  atomic_store(&id_of_handler, gettid());
  atomic_fetch_add(&handled, 1);
}
static void* stay_open(void* argument) {
  sigset_t set = only(SIGUSR1);
  OK(pthread_sigmask(SIG_UNBLOCK, &set, NULL));
  atomic_store(&id_of_open, gettid());
  while (!atomic_load(&stop)) sleep(1);
  return argument;
}
static void* stay_closed(void* argument) {
  while (!atomic_load(&stop)) sleep_ms(2);
  return argument;
}

int main(void) {
  on_signal(SIGUSR1, handle, 0);
  sigset_t set = only(SIGUSR1);
  OK(pthread_sigmask(SIG_BLOCK, &set, NULL));
  pthread_t closed[3], open_thread = start(stay_open, NULL);
  for (int i = 0; i < 3; ++i) closed[i] = start(stay_closed, NULL);
  WAIT_FOR(atomic_load(&id_of_open) != 0);
  for (int i = 1; i <= 5; ++i) {
    OK(kill(getpid(), SIGUSR1));
    WAIT_FOR(atomic_load(&handled) == i);
    CHECK(atomic_load(&id_of_handler) == atomic_load(&id_of_open));
  }
  atomic_store(&stop, 1);
  OK(kill(getpid(), SIGUSR1));
  join(open_thread);
  for (int i = 0; i < 3; ++i) join(closed[i]);
  say("handled: %d\n", atomic_load(&handled));
  return 0;
}
