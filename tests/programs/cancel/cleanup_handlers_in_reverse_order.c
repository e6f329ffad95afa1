// SPDX-License-Identifier: Apache-2.0
// Cleanup handlers run last pushed first, then key destructors, on cancellation and on
// pthread_exit.

#include "support.h"

static pthread_key_t key;
static sem_t in_place;

static void tell(void* text) {
  say("%s\n", (const char*)text);
}

static void nested(int cancelled) {
  pthread_cleanup_push(tell, "third pushed");
  if (cancelled) {
    OK(sem_post(&in_place));
    for (;;) pause();
  }
  pthread_exit((void*)8);
  pthread_cleanup_pop(0);
}

static void* run(void* cancelled) {
  OK(pthread_setspecific(key, "key destructor"));
  pthread_cleanup_push(tell, "first pushed");
  pthread_cleanup_push(tell, "popped and run");
  pthread_cleanup_pop(1);
  pthread_cleanup_push(tell, "popped and not run");
  pthread_cleanup_pop(0);
  pthread_cleanup_push(tell, "second pushed");
  nested(cancelled != NULL);
  pthread_cleanup_pop(0);
  pthread_cleanup_pop(0);
  return NULL;
}

int main(void) {
  OK(pthread_key_create(&key, tell));
  OK(sem_init(&in_place, 0, 0));
  pthread_t thread = start(run, &key);
  OK(sem_wait(&in_place));
  OK(pthread_cancel(thread));
  say("cancelled: %d\n", join(thread) == PTHREAD_CANCELED);
  say("exited: %d\n", join(start(run, NULL)) == (void*)8);
  return 0;
}
