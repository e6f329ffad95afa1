// SPDX-License-Identifier: Apache-2.0
// Two threads pass a turn 5,000 times through one condition variable and lose no wake-up.

#include "support.h"

enum { rounds = 5000 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int turn;

static void* play(void* argument) {
  int mine = argument != NULL;
  pthread_mutex_lock(&lock);
  for (int i = 0; i < rounds; ++i) {
    while (turn % 2 != mine) pthread_cond_wait(&changed, &lock);
    ++turn;
    pthread_cond_signal(&changed);
  }
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(void) {
  pthread_t first = start(play, NULL), second = start(play, &turn);
  join(first);
  join(second);
  say("turns: %d\n", turn);
  return 0;
}
