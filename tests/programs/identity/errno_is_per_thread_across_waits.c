// SPDX-License-Identifier: Apache-2.0
// errno belongs to each thread: what one sets is still there after waits in which others set
// theirs.

#include "support.h"

#include <sched.h>
#include <stdint.h>

static void* keep(void* number) {
  int mine = 1 + (int)(intptr_t)number;
  int* address = &errno;
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t never = PTHREAD_COND_INITIALIZER;
  errno = mine;
  for (int round = 0; round < 20; ++round) {
    struct timespec soon = {0, 200000};
    struct timespec until = after_ms(CLOCK_REALTIME, 1);
    nanosleep(&soon, NULL);
    CHECK(errno == mine && address == &errno);
    sched_yield();
    pthread_mutex_lock(&lock);
    pthread_cond_timedwait(&never, &lock, &until);
    pthread_mutex_unlock(&lock);
    CHECK(errno == mine && address == &errno);
  }
  return NULL;
}

int main(void) {
  pthread_t threads[30];
  for (intptr_t i = 0; i < 30; ++i) threads[i] = start(keep, (void*)i);
  for (int i = 0; i < 30; ++i) join(threads[i]);
  say("each kept its own\n");
  return 0;
}
