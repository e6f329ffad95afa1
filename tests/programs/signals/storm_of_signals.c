// SPDX-License-Identifier: Apache-2.0
// Threads that lock, wait and wake under a storm of signals lose no wake-up and no handler.

#include "support.h"

#include <stdatomic.h>

enum { rounds = 1000 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int turn;
static atomic_int handled, finished;

static void handle(int number) {
  (void)number;
  atomic_fetch_add(&handled, 1);
}
static void* play(void* argument) {
  int mine = argument != NULL;
  pthread_mutex_lock(&lock);
  for (int i = 0; i < rounds; ++i) {
    while (turn % 2 != mine) pthread_cond_wait(&changed, &lock);
    ++turn;
    pthread_cond_broadcast(&changed);
  }
  pthread_mutex_unlock(&lock);
  atomic_fetch_add(&finished, 1);
  while (atomic_load(&finished) < 3) sleep_ms(1);
  return NULL;
}

int main(void) {
  on_signal(SIGUSR1, handle, SA_RESTART);
  pthread_t players[2] = {start(play, NULL), start(play, &turn)};
  int sent = 0;
  while (atomic_load(&finished) < 2 || sent < 100) {
    int before = atomic_load(&handled);
    OK(pthread_kill(players[sent % 2], SIGUSR1));
    ++sent;
    WAIT_FOR(atomic_load(&handled) > before);
  }
  atomic_fetch_add(&finished, 1);
  for (int i = 0; i < 2; ++i) join(players[i]);
  say("turns: %d, each signal handled: %d\n", turn, atomic_load(&handled) == sent);
  return 0;
}
