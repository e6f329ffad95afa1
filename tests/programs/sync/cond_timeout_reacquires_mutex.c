// SPDX-License-Identifier: Apache-2.0
// A timed wait that times out while another holds the mutex returns only when it has the mutex
// again.

#include "support.h"

#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static atomic_int waiting, holder_done;

static void* wait_a_little(void* argument) {
  struct timespec until = after_ms(CLOCK_REALTIME, 20);
  pthread_mutex_lock(&lock);
  atomic_store(&waiting, 1);
  int error;
  while ((error = pthread_cond_timedwait(&never, &lock, &until)) == 0) {
  }
  CHECK(atomic_load(&holder_done) == 1);
  say("%s with the mutex\n", error_name(error));
  pthread_mutex_unlock(&lock);
  return argument;
}

int main(void) {
  pthread_mutex_lock(&lock);
  pthread_t thread = start(wait_a_little, NULL);
  pthread_mutex_unlock(&lock);
  // Taken while the other waits: it has said so, and only its wait releases the mutex.
  for (;;) {
    pthread_mutex_lock(&lock);
    if (atomic_load(&waiting)) break;
    pthread_mutex_unlock(&lock);
    sleep_ms(1);
  }
  sleep_ms(60);
  atomic_store(&holder_done, 1);
  pthread_mutex_unlock(&lock);
  join(thread);
  return 0;
}
