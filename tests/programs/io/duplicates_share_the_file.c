// SPDX-License-Identifier: Apache-2.0
// Threads wait on dup, dup2, dup3, F_DUPFD and the original of one pipe; one message reaches each.
#include "../io_support.h"

enum { WAITERS = 6, MESSAGES = 60 };
static int waited[WAITERS];
static atomic_int messages;

static void* wait_on(void* index) {
  char byte;
  ssize_t got;
  while ((got = read(waited[(intptr_t)index], &byte, 1)) == 1) atomic_fetch_add(&messages, 1);
  CHECK(got == 0);
  return NULL;
}

int main(void) {
  int ends[2];
  CHECK(pipe(ends) == 0);
  waited[0] = ends[0];
  waited[1] = dup(ends[0]);
  waited[2] = dup2(ends[0], 100);
  waited[3] = dup3(ends[0], 101, O_CLOEXEC);
  waited[4] = fcntl(ends[0], F_DUPFD, 200);
  waited[5] = fcntl(ends[0], F_DUPFD_CLOEXEC, 300);
  for (int i = 0; i < WAITERS; ++i) CHECK(waited[i] >= 0);
  printf("close on exec %d %d\n", fcntl(101, F_GETFD), fcntl(waited[5], F_GETFD));
  pthread_t waiters[WAITERS];
  for (intptr_t i = 0; i < WAITERS; ++i) waiters[i] = start(wait_on, (void*)i);
  let_it_block();
  for (int i = 0; i < MESSAGES; ++i) {
    CHECK(write(ends[1], "m", 1) == 1);
    if (i % 10 == 0) sleep_ms(1);
  }
  const int other_writer = dup(ends[1]);
  close(ends[1]);
  let_it_block();
  CHECK(write(other_writer, "m", 1) == 1);
  close(other_writer);
  for (int i = 0; i < WAITERS; ++i) finish(waiters[i]);
  printf("%d messages\n", atomic_load(&messages));
  show("dup2 onto itself", dup2(100, 100));
  show("dup3 onto itself", dup3(100, 100, 0));
  show("dup of a closed one", dup(ends[1]));
  return 0;
}
