// SPDX-License-Identifier: Apache-2.0
// Values of a key are per thread, NULL at first, survive waits, and are not seen through a deleted
// key.

#include "support.h"

#include <limits.h>
#include <stdint.h>

static pthread_key_t keys[20];

static void* use(void* argument) {
  intptr_t base = (intptr_t)argument;
  for (int i = 0; i < 20; ++i) CHECK(pthread_getspecific(keys[i]) == NULL);
  for (int i = 0; i < 20; ++i) OK(pthread_setspecific(keys[i], (void*)(base * 100 + i + 1)));
  sleep_ms(3);
  for (int i = 0; i < 20; ++i) {
    CHECK(pthread_getspecific(keys[i]) == (void*)(base * 100 + i + 1));
  }
  return NULL;
}

int main(void) {
  for (int i = 0; i < 20; ++i) OK(pthread_key_create(&keys[i], NULL));
  pthread_t threads[10];
  for (intptr_t i = 0; i < 10; ++i) threads[i] = start(use, (void*)(i + 1));
  use((void*)11);
  for (int i = 0; i < 10; ++i) join(threads[i]);
  for (int i = 0; i < 20; ++i) OK(pthread_key_delete(keys[i]));
  say("deleted: %s\n", error_name(pthread_setspecific(keys[0], &keys)));
  pthread_key_t again;
  OK(pthread_key_create(&again, NULL));
  say("a new key is empty: %d\n", pthread_getspecific(again) == NULL);
  return 0;
}
