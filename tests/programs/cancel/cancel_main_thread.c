// SPDX-License-Identifier: Apache-2.0
// The initial thread can be cancelled: the others live on, and its result is PTHREAD_CANCELED.

#include "support.h"

static pthread_t main_thread;

static void clean(void* argument) {
  (void)argument;
  say("main's cleanup handler\n");
}
static void* cancel_it(void* argument) {
  sleep_ms(10);
  OK(pthread_cancel(main_thread));
  void* result = NULL;
  OK(pthread_join(main_thread, &result));
  say("main cancelled: %d\n", result == PTHREAD_CANCELED);
  exit(0);
  return argument;
}

int main(void) {
  main_thread = pthread_self();
  start(cancel_it, NULL);
  pthread_cleanup_push(clean, NULL);
  for (;;) sleep(1000);
  pthread_cleanup_pop(0);
}
