// SPDX-License-Identifier: Apache-2.0
// While four threads compute without end, two others exchange messages and then stop them.
#include "../io_support.h"

enum { BUSY = 4, ROUNDS = 20 };
static atomic_bool stop;
static int there[2], back[2];

static void* compute(void* unused) {
  (void)unused;
  volatile unsigned long work = 1;
  while (!atomic_load_explicit(&stop, memory_order_relaxed)) work = work * 31 + 7;
  return NULL;
}

static void* answer(void* unused) {
  (void)unused;
  char byte;
  while (read(there[0], &byte, 1) == 1) CHECK(write(back[1], &byte, 1) == 1);
  return NULL;
}

static void* ask(void* unused) {
  (void)unused;
  for (int i = 0; i < ROUNDS; ++i) {
    char byte = (char)i;
    CHECK(write(there[1], &byte, 1) == 1 && read(back[0], &byte, 1) == 1);
    CHECK(byte == (char)i);
  }
  atomic_store(&stop, true);
  close(there[1]);
  return NULL;
}

int main(void) {
  CHECK(pipe(there) == 0 && pipe(back) == 0);
  pthread_t busy[BUSY];
  for (int i = 0; i < BUSY; ++i) busy[i] = start(compute, NULL);
  const pthread_t answerer = start(answer, NULL);
  finish(start(ask, NULL));
  finish(answerer);
  for (int i = 0; i < BUSY; ++i) finish(busy[i]);
  printf("%d rounds\n", ROUNDS);
  return 0;
}
