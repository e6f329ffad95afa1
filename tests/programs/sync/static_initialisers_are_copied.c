// SPDX-License-Identifier: Apache-2.0
// Mutexes, condition variables and rwlocks that were set by static initialisers and copied as
// bytes before their first use work at their new place.

#include "support.h"

struct Box {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  pthread_rwlock_t table;
  int value;
};
static const struct Box model = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER,
                                 PTHREAD_RWLOCK_INITIALIZER, 0};

static void* change(void* argument) {
  struct Box* box = argument;
  OK(pthread_rwlock_wrlock(&box->table));
  OK(pthread_mutex_lock(&box->lock));
  box->value = 7;
  OK(pthread_cond_broadcast(&box->changed));
  OK(pthread_mutex_unlock(&box->lock));
  OK(pthread_rwlock_unlock(&box->table));
  return NULL;
}

int main(void) {
  for (int i = 0; i < 10; ++i) {
    struct Box* box = malloc(sizeof *box);
    CHECK(box != NULL);
    *box = model;
    pthread_t thread = start(change, box);
    OK(pthread_mutex_lock(&box->lock));
    while (box->value == 0) OK(pthread_cond_wait(&box->changed, &box->lock));
    OK(pthread_mutex_unlock(&box->lock));
    join(thread);
    CHECK(box->value == 7);
    free(box);
  }
  say("ten boxes\n");
  return 0;
}
