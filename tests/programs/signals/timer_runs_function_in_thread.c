// SPDX-License-Identifier: Apache-2.0
// A POSIX timer with SIGEV_THREAD calls its function in another thread, which may wait and lock.

#include "support.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int calls;
static pthread_t main_thread;

static void expire(union sigval value) {
  CHECK(value.sival_ptr == &calls && !pthread_equal(pthread_self(), main_thread));
  sleep_ms(1);
  pthread_mutex_lock(&lock);
  ++calls;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&lock);
}

int main(void) {
  main_thread = pthread_self();
  struct sigevent event;
  memset(&event, 0, sizeof event);
  event.sigev_notify = SIGEV_THREAD;
  event.sigev_notify_function = expire;
  event.sigev_value.sival_ptr = &calls;
  timer_t timer;
  OK(timer_create(CLOCK_MONOTONIC, &event, &timer));
  struct itimerspec period = {{0, 3000000}, {0, 3000000}};
  OK(timer_settime(timer, 0, &period, NULL));
  pthread_mutex_lock(&lock);
  while (calls < 3) pthread_cond_wait(&changed, &lock);
  pthread_mutex_unlock(&lock);
  OK(timer_delete(timer));
  say("called in another thread\n");
  return 0;
}
