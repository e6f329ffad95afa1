// SPDX-License-Identifier: Apache-2.0
// Cancelling a thread that has ended but is not joined changes nothing about its result.

#include "support.h"

#include <stdatomic.h>

static atomic_int ended;
static pthread_key_t key;

static void note_end(void* value) {
  atomic_store((atomic_int*)value, 1);
}

static void* run(void* argument) {
  OK(pthread_setspecific(key, &ended));
  return argument;
}

int main(void) {
  OK(pthread_key_create(&key, note_end));
  pthread_t thread = start(run, &key);
  WAIT_FOR(atomic_load(&ended));
  sleep_ms(10);
  say("cancel: %s\n", error_name(pthread_cancel(thread)));
  say("own result: %d\n", join(thread) == &key);
  return 0;
}
