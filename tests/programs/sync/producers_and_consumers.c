// SPDX-License-Identifier: Apache-2.0
// Four producers and three consumers move every item through a bounded buffer exactly once.

#include "support.h"

enum { producers = 4, consumers = 3, items = 1000, room = 8 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;
static int buffer[room], used, next_in, next_out, left = producers * items;
static unsigned char seen[producers * items];

static void* produce(void* argument) {
  int first = *(int*)argument;
  for (int i = 0; i < items; ++i) {
    pthread_mutex_lock(&lock);
    while (used == room) pthread_cond_wait(&not_full, &lock);
    buffer[next_in++ % room] = first + i;
    ++used;
    pthread_cond_signal(&not_empty);
    pthread_mutex_unlock(&lock);
  }
  return NULL;
}
static void* consume(void* argument) {
  for (;;) {
    pthread_mutex_lock(&lock);
    while (used == 0 && left > 0) pthread_cond_wait(&not_empty, &lock);
    if (left == 0) {
      pthread_mutex_unlock(&lock);
      return argument;
    }
    ++seen[buffer[next_out++ % room]];
    --used;
    if (--left == 0) pthread_cond_broadcast(&not_empty);
    pthread_cond_signal(&not_full);
    pthread_mutex_unlock(&lock);
  }
}

int main(void) {
  pthread_t threads[producers + consumers];
  int firsts[producers];
  for (int i = 0; i < consumers; ++i) threads[i] = start(consume, NULL);
  for (int i = 0; i < producers; ++i) {
    firsts[i] = i * items;
    threads[consumers + i] = start(produce, &firsts[i]);
  }
  for (int i = 0; i < producers + consumers; ++i) join(threads[i]);
  int once = 0;
  for (int i = 0; i < producers * items; ++i) once += seen[i] == 1;
  say("moved once: %d\n", once);
  return 0;
}
