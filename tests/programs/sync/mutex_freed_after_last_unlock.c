// SPDX-License-Identifier: Apache-2.0
// An object counted under its own mutex may be freed by whoever unlocks last, while the others
// have just left.

#include "support.h"

struct Counted {
  pthread_mutex_t lock;
  int references;
};

static char last_one;

static void* drop(void* argument) {
  struct Counted* counted = argument;
  pthread_mutex_lock(&counted->lock);
  int left = --counted->references;
  pthread_mutex_unlock(&counted->lock);
  if (left == 0) {
    OK(pthread_mutex_destroy(&counted->lock));
    memset(counted, 0xff, sizeof *counted);
    free(counted);
    return &last_one;
  }
  return NULL;
}

int main(void) {
  int freed = 0;
  for (int round = 0; round < 200; ++round) {
    struct Counted* counted = malloc(sizeof *counted);
    CHECK(counted != NULL);
    OK(pthread_mutex_init(&counted->lock, NULL));
    counted->references = 4;
    pthread_t threads[4];
    for (int i = 0; i < 4; ++i) threads[i] = start(drop, counted);
    for (int i = 0; i < 4; ++i) freed += join(threads[i]) != NULL;
  }
  say("freed: %d\n", freed);
  return 0;
}
