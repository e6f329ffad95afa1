// SPDX-License-Identifier: Apache-2.0
// C11 condition variables pass a turn, wake all by a broadcast, and time out.

#include "support.h"

#include <threads.h>

static mtx_t lock;
static cnd_t changed;
static int turn, is_open, through;

static int play(void* argument) {
  int mine = argument != NULL;
  mtx_lock(&lock);
  for (int i = 0; i < 500; ++i) {
    while (turn % 2 != mine) cnd_wait(&changed, &lock);
    ++turn;
    cnd_signal(&changed);
  }
  mtx_unlock(&lock);
  return 0;
}
static int pass(void* argument) {
  (void)argument;
  mtx_lock(&lock);
  while (!is_open) cnd_wait(&changed, &lock);
  ++through;
  mtx_unlock(&lock);
  return 0;
}

int main(void) {
  CHECK(mtx_init(&lock, mtx_plain) == thrd_success && cnd_init(&changed) == thrd_success);
  thrd_t threads[10];
  CHECK(thrd_create(&threads[0], play, NULL) == thrd_success);
  CHECK(thrd_create(&threads[1], play, &turn) == thrd_success);
  for (int i = 0; i < 2; ++i) CHECK(thrd_join(threads[i], NULL) == thrd_success);
  say("turns: %d\n", turn);
  for (int i = 0; i < 10; ++i) CHECK(thrd_create(&threads[i], pass, NULL) == thrd_success);
  mtx_lock(&lock);
  is_open = 1;
  cnd_broadcast(&changed);
  mtx_unlock(&lock);
  for (int i = 0; i < 10; ++i) CHECK(thrd_join(threads[i], NULL) == thrd_success);
  say("through: %d\n", through);
  struct timespec until = after_ms(CLOCK_REALTIME, 20);
  mtx_lock(&lock);
  int result;
  while ((result = cnd_timedwait(&changed, &lock, &until)) == thrd_success) {
  }
  mtx_unlock(&lock);
  say("timed out: %d, in time: %d\n", result == thrd_timedout, is_past(CLOCK_REALTIME, until));
  cnd_destroy(&changed);
  mtx_destroy(&lock);
  return 0;
}
