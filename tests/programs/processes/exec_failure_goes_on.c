// SPDX-License-Identifier: Apache-2.0
// An exec that fails returns its error, and the program with all its threads goes on.

#include "support.h"

static sem_t asked, answered;

static void* answer(void* argument) {
  for (int i = 0; i < 3; ++i) {
    OK(sem_wait(&asked));
    OK(sem_post(&answered));
  }
  return argument;
}
static void* try_exec(void* argument) {
  static const char* const paths[] = {"/nowhere/at/all", "/etc/passwd", "/"};
  for (int i = 0; i < 3; ++i) {
    int result = execl(paths[i], "x", (char*)NULL);
    say("%s: %d %s\n", paths[i], result, error_name(errno));
    OK(sem_post(&asked));
    OK(sem_wait(&answered));
  }
  return argument;
}

int main(void) {
  OK(sem_init(&asked, 0, 0));
  OK(sem_init(&answered, 0, 0));
  pthread_t other = start(answer, NULL);
  join(start(try_exec, NULL));
  join(other);
  say("all go on\n");
  return 0;
}
