// SPDX-License-Identifier: Apache-2.0
// gettid is the process id in the first thread, differs in every thread that lives, and never
// changes.

#include "support.h"

#include <stdint.h>
#include <sys/syscall.h>

enum { count = 24 };
static pid_t ids[count];
static pthread_barrier_t together;

static void* use(void* index) {
  intptr_t mine = (intptr_t)index;
  ids[mine] = gettid();
  for (int round = 0; round < 5; ++round) {
    sleep_ms(1);
    CHECK(gettid() == ids[mine] && syscall(SYS_gettid) == ids[mine]);
  }
  pthread_barrier_wait(&together);
  for (int i = 0; i < count; ++i) CHECK(i == mine || ids[i] != ids[mine]);
  CHECK(ids[mine] != getpid());
  pthread_barrier_wait(&together);
  return NULL;
}

int main(void) {
  OK(pthread_barrier_init(&together, NULL, count));
  pthread_t threads[count];
  for (intptr_t i = 0; i < count; ++i) threads[i] = start(use, (void*)i);
  for (int i = 0; i < count; ++i) join(threads[i]);
  say("main's is the process's: %d\n", gettid() == getpid());
  return 0;
}
