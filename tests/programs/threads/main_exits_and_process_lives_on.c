// SPDX-License-Identifier: Apache-2.0
// After pthread_exit in the initial thread the process lives until its last thread ends, with exit
// code 0.

#include "support.h"

static pthread_t main_thread;

static void* outlive(void* argument) {
  (void)argument;
  OK(pthread_join(main_thread, NULL));
  say("the initial thread is joined\n");
  sleep_ms(20);
  say("the last one ends\n");
  return NULL;
}

static void tell(void) {
  say("exit handlers run\n");
}

int main(void) {
  OK(atexit(tell));
  main_thread = pthread_self();
  pthread_t thread = start(outlive, NULL);
  OK(pthread_detach(thread));
  say("the initial thread leaves\n");
  pthread_exit(NULL);
}
