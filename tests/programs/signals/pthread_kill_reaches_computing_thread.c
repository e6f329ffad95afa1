// SPDX-License-Identifier: Apache-2.0
// pthread_kill interrupts a thread that only computes, and its handler runs with that thread's
// identity.

#include "support.h"

#include <stdatomic.h>

static _Thread_local int storage;
static int* storage_of_target;
static pid_t id_of_target;
static atomic_int begun, handled, right;

static void handle(int number) {
  (void)number;
  atomic_fetch_add(&right, &storage == storage_of_target && gettid() == id_of_target);
  atomic_fetch_add(&handled, 1);
}
static void* compute(void* argument) {
  storage_of_target = &storage;
  id_of_target = gettid();
  atomic_store(&begun, 1);
  while (atomic_load(&handled) < 5) {
  }
  return argument;
}

int main(void) {
  on_signal(SIGUSR1, handle, 0);
  pthread_t thread = start(compute, NULL);
  WAIT_FOR(atomic_load(&begun));
  for (int i = 1; i <= 5; ++i) {
    OK(pthread_kill(thread, SIGUSR1));
    WAIT_FOR(atomic_load(&handled) == i);
  }
  join(thread);
  say("handled: %d, right: %d\n", atomic_load(&handled), atomic_load(&right));
  return 0;
}
