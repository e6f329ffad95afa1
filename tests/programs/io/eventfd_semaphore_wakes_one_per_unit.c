// SPDX-License-Identifier: Apache-2.0
// Eight threads wait on a semaphore eventfd; each unit written lets exactly one read through.
#include "../io_support.h"

#include <sys/eventfd.h>

enum { READERS = 8, UNITS_EACH = 200 };
static int event;
static atomic_int taken;

static void* take(void* unused) {
  (void)unused;
  for (int i = 0; i < UNITS_EACH; ++i) {
    eventfd_t value;
    CHECK(eventfd_read(event, &value) == 0);
    CHECK(value == 1);
    atomic_fetch_add(&taken, 1);
  }
  return NULL;
}

int main(void) {
  event = eventfd(0, EFD_SEMAPHORE);
  pthread_t readers[READERS];
  for (int i = 0; i < READERS; ++i) readers[i] = start(take, NULL);
  let_it_block();
  CHECK(eventfd_write(event, 3) == 0);
  while (atomic_load(&taken) < 3) sleep_ms(1);
  let_it_block();
  printf("after 3 units: %d\n", atomic_load(&taken));
  for (int i = 3; i < READERS * UNITS_EACH; ++i) CHECK(eventfd_write(event, 1) == 0);
  for (int i = 0; i < READERS; ++i) finish(readers[i]);
  printf("in the end: %d\n", atomic_load(&taken));
  return 0;
}
