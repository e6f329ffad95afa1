// SPDX-License-Identifier: Apache-2.0
// Five philosophers who take the lower fork first all eat their fill.

#include "support.h"

#include <stdint.h>

enum { seats = 5, meals = 200 };
static pthread_mutex_t forks[seats];
static int eaten[seats];

static void* dine(void* seat) {
  intptr_t left = (intptr_t)seat, right = (left + 1) % seats;
  intptr_t lower = left < right ? left : right, upper = left < right ? right : left;
  for (int i = 0; i < meals; ++i) {
    pthread_mutex_lock(&forks[lower]);
    if (i % 50 == 0) usleep(200);
    pthread_mutex_lock(&forks[upper]);
    ++eaten[left];
    pthread_mutex_unlock(&forks[upper]);
    pthread_mutex_unlock(&forks[lower]);
  }
  return NULL;
}

int main(void) {
  pthread_t threads[seats];
  for (int i = 0; i < seats; ++i) OK(pthread_mutex_init(&forks[i], NULL));
  for (intptr_t i = 0; i < seats; ++i) threads[i] = start(dine, (void*)i);
  for (int i = 0; i < seats; ++i) join(threads[i]);
  for (int i = 0; i < seats; ++i) say("%d\n", eaten[i]);
  return 0;
}
