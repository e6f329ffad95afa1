// SPDX-License-Identifier: Apache-2.0
// Bounded queues made of futex semaphores carry numbers through a chain of threads, in order.
#include "futex.h"

enum { STAGES = 6, NUMBERS = 2000, SLOTS = 4 };

struct semaphore {
  atomic_int count, waiters;
};

struct queue {
  struct semaphore free, full;
  int slots[SLOTS];
};

static struct queue queues[STAGES + 1];

static void take(struct semaphore* semaphore) {
  for (;;) {
    int count = atomic_load(&semaphore->count);
    while (count > 0) {
      if (atomic_compare_exchange_weak(&semaphore->count, &count, count - 1)) return;
    }
    atomic_fetch_add(&semaphore->waiters, 1);
    futex(&semaphore->count, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
    atomic_fetch_sub(&semaphore->waiters, 1);
  }
}

static void give(struct semaphore* semaphore) {
  atomic_fetch_add(&semaphore->count, 1);
  if (atomic_load(&semaphore->waiters) > 0) {
    futex(&semaphore->count, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
  }
}

static void put(struct queue* queue, int place, int number) {
  take(&queue->free);
  queue->slots[place % SLOTS] = number;
  give(&queue->full);
}

static int get(struct queue* queue, int place) {
  take(&queue->full);
  const int number = queue->slots[place % SLOTS];
  give(&queue->free);
  return number;
}

static void* add_one(void* index) {
  const intptr_t stage = (intptr_t)index;
  for (int i = 0; i < NUMBERS; ++i) put(&queues[stage + 1], i, get(&queues[stage], i) + 1);
  return NULL;
}

static void* feed(void* unused) {
  (void)unused;
  for (int i = 0; i < NUMBERS; ++i) put(&queues[0], i, i);
  return NULL;
}

int main(void) {
  for (int i = 0; i <= STAGES; ++i) atomic_store(&queues[i].free.count, SLOTS);
  pthread_t stages[STAGES];
  for (intptr_t i = 0; i < STAGES; ++i) stages[i] = start(add_one, (void*)i);
  const pthread_t feeder = start(feed, NULL);
  for (int i = 0; i < NUMBERS; ++i) CHECK(get(&queues[STAGES], i) == i + STAGES);
  finish(feeder);
  for (int i = 0; i < STAGES; ++i) finish(stages[i]);
  printf("%d numbers\n", NUMBERS);
  return 0;
}
