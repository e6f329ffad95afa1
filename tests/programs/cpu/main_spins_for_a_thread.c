// SPDX-License-Identifier: Apache-2.0
// main spins without a call until a thread that must first sleep and read a pipe sets the flag.
#include "../io_support.h"

static int ends[2];
static atomic_bool done;

static void* sleep_read_and_set(void* unused) {
  (void)unused;
  char byte;
  sleep_ms(5);
  CHECK(read(ends[0], &byte, 1) == 1);
  atomic_store(&done, true);
  return NULL;
}

static void* write_later(void* unused) {
  (void)unused;
  let_it_block();
  CHECK(write(ends[1], "x", 1) == 1);
  return NULL;
}

static void body(void) {
  atomic_store(&done, false);
  const pthread_t reader = start(sleep_read_and_set, NULL), writer = start(write_later, NULL);
  while (!atomic_load(&done)) continue;
  finish(reader);
  finish(writer);
  printf("done\n");
}

int main(void) {
  CHECK(pipe(ends) == 0);
  in_main_and_thread(body);
  return 0;
}
