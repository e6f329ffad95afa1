// SPDX-License-Identifier: Apache-2.0
// pthread_self is what pthread_create gave, stays the same across waits, and differs from every
// other.

#include "support.h"

enum { count = 20 };
static pthread_t threads[count];
static pthread_barrier_t known;

static void* compare(void* index) {
  pthread_barrier_wait(&known);
  int mine = (int)((pthread_t*)index - threads);
  for (int round = 0; round < 5; ++round) {
    for (int i = 0; i < count; ++i) {
      CHECK(!pthread_equal(threads[i], pthread_self()) == (i != mine));
    }
    sleep_ms(1);
  }
  return NULL;
}

int main(void) {
  OK(pthread_barrier_init(&known, NULL, count + 1));
  for (int i = 0; i < count; ++i) threads[i] = start(compare, &threads[i]);
  pthread_barrier_wait(&known);
  for (int i = 0; i < count; ++i) join(threads[i]);
  say("each is itself and no other\n");
  return 0;
}
