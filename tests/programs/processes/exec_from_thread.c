// SPDX-License-Identifier: Apache-2.0
// exec in a thread replaces the whole process: same process id, other threads gone, arguments
// passed.
// exits: 33

#include "support.h"

static pthread_barrier_t begun;

static void* idle(void* argument) {
  pthread_barrier_wait(&begun);
  for (;;) pause();
  return argument;
}
static void* become(void* argument) {
  char id[16];
  snprintf(id, sizeof id, "%d", (int)getpid());
  sleep_ms(2);
  execl("/bin/sh", "sh", "-c",
        "test $$ = \"$0\" && echo same process; set -- /proc/$$/task/*; echo \"$# task\"; exit 33",
        id, (char*)NULL);
  return argument;
}

int main(void) {
  OK(pthread_barrier_init(&begun, NULL, 3));
  start(idle, NULL);
  start(idle, NULL);
  pthread_barrier_wait(&begun);
  start(become, NULL);
  for (;;) pause();
}
