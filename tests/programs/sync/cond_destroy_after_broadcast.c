// SPDX-License-Identifier: Apache-2.0
// A condition variable may be destroyed, and its memory reused, right after a broadcast to its
// last waiters.

#include "support.h"

struct Event {
  pthread_mutex_t lock;
  pthread_cond_t done;
  int is_done, waiting;
};

static void* wait_for_event(void* argument) {
  struct Event* event = argument;
  pthread_mutex_lock(&event->lock);
  ++event->waiting;
  while (!event->is_done) pthread_cond_wait(&event->done, &event->lock);
  --event->waiting;
  pthread_mutex_unlock(&event->lock);
  return NULL;
}

int main(void) {
  for (int round = 0; round < 50; ++round) {
    struct Event event = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0};
    pthread_t threads[4];
    for (int i = 0; i < 4; ++i) threads[i] = start(wait_for_event, &event);
    for (;;) {
      pthread_mutex_lock(&event.lock);
      if (event.waiting == 4) break;
      pthread_mutex_unlock(&event.lock);
      usleep(100);
    }
    event.is_done = 1;
    pthread_cond_broadcast(&event.done);
    pthread_mutex_unlock(&event.lock);
    OK(pthread_cond_destroy(&event.done));
    memset(&event.done, 0xff, sizeof event.done);
    for (int i = 0; i < 4; ++i) join(threads[i]);
    CHECK(event.waiting == 0);
  }
  say("50 rounds\n");
  return 0;
}
