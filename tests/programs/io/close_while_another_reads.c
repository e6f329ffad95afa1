// SPDX-License-Identifier: Apache-2.0
// Closing a descriptor that a thread waits on and reusing its number never mixes up the two files.
#include "../io_support.h"

enum { WANTED_ROUNDS = 10, MAXIMUM_ROUNDS = 40 };
static int old_ends[2];
static atomic_bool about_to_wait;

// Linux lets the waiting read finish on the old file; a read that saw the close may say EBADF.
// One that came after the reuse reads the new file, and the round does not count.
static void* wait_on_old(void* was_in_time) {
  char byte = 0;
  atomic_store(&about_to_wait, true);
  const ssize_t got = read(old_ends[0], &byte, 1);
  *(bool*)was_in_time = !(got == 1 && byte == 'n');
  CHECK((got == 1 && byte != 0) || (got == -1 && errno == EBADF));
  return NULL;
}

static bool close_and_reuse(void) {
  bool was_in_time;
  CHECK(pipe(old_ends) == 0);
  atomic_store(&about_to_wait, false);
  const pthread_t waiter = start(wait_on_old, &was_in_time);
  while (!atomic_load(&about_to_wait)) sleep_ms(1);
  sleep_ms(10);
  int new_ends[2];
  CHECK(pipe(new_ends) == 0);
  CHECK(dup2(new_ends[0], old_ends[0]) == old_ends[0]);
  if (write(old_ends[1], "o", 1) != 1) CHECK(errno == EPIPE);
  sleep_ms(2);
  CHECK(write(new_ends[1], "n", 1) == 1);
  finish(waiter);
  char byte = 0;
  if (was_in_time) CHECK(read(old_ends[0], &byte, 1) == 1 && byte == 'n');
  close(old_ends[0]);
  close(old_ends[1]);
  close(new_ends[0]);
  close(new_ends[1]);
  return was_in_time;
}

int main(void) {
  signal(SIGPIPE, SIG_IGN);
  int rounds = 0;
  for (int i = 0; i < MAXIMUM_ROUNDS && rounds < WANTED_ROUNDS; ++i) rounds += close_and_reuse();
  printf("%d rounds without mix-up\n", rounds);
  return 0;
}
