// SPDX-License-Identifier: Apache-2.0
// A signal to a thread that waits in read runs its handler there and makes the read fail with
// EINTR.

#include "support.h"

#include <stdatomic.h>

static int ends[2];
static pid_t id_of_reader;
static atomic_int handled, ready, finished;

static void handle(int number) {
  (void)number;
  CHECK(gettid() == id_of_reader);
  atomic_fetch_add(&handled, 1);
}
static void* wait_in_read(void* argument) {
  char byte;
  id_of_reader = gettid();
  atomic_store(&ready, 1);
  ssize_t result = read(ends[0], &byte, 1);
  say("read: %d %s, handled: %d\n", (int)result, error_name(errno), atomic_load(&handled) > 0);
  atomic_store(&finished, 1);
  return argument;
}

int main(void) {
  OK(pipe(ends));
  on_signal(SIGUSR1, handle, 0);
  pthread_t thread = start(wait_in_read, NULL);
  WAIT_FOR(atomic_load(&ready));
  while (!atomic_load(&finished)) {
    OK(pthread_kill(thread, SIGUSR1));
    sleep_ms(5);
  }
  join(thread);
  return 0;
}
