// SPDX-License-Identifier: Apache-2.0
// pthread_tryjoin_np is EBUSY while a thread runs and gives its result once it has ended.

#include "support.h"

static sem_t may_end;

static void* wait_for_permission(void* argument) {
  OK(sem_wait(&may_end));
  return argument;
}

int main(void) {
  int marker = 0;
  OK(sem_init(&may_end, 0, 0));
  pthread_t thread = start(wait_for_permission, &marker);
  say("before: %s\n", error_name(pthread_tryjoin_np(thread, NULL)));
  OK(sem_post(&may_end));
  void* result = NULL;
  int error;
  while ((error = pthread_tryjoin_np(thread, &result)) == EBUSY) sleep_ms(1);
  say("after: %s, result %s\n", error_name(error), result == &marker ? "right" : "wrong");
  return 0;
}
