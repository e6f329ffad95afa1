// SPDX-License-Identifier: Apache-2.0
// An eventfd read waits for a non-zero count and takes all of it; a write waits at the maximum.
#include "../io_support.h"

#include <sys/eventfd.h>

static int event;

static void* add_later(void* amount) {
  let_it_block();
  CHECK(eventfd_write(event, (eventfd_t)(uintptr_t)amount) == 0);
  return NULL;
}

static void* take_later(void* unused) {
  (void)unused;
  let_it_block();
  eventfd_t value;
  CHECK(eventfd_read(event, &value) == 0);
  CHECK(value == UINT64_MAX - 1);
  return NULL;
}

static void body(void) {
  eventfd_t value;
  event = eventfd(5, 0);
  show("read", eventfd_read(event, &value));
  printf("%llu\n", (unsigned long long)value);
  pthread_t other = start(add_later, (void*)7);
  show("read", read(event, &value, sizeof value));
  printf("%llu\n", (unsigned long long)value);
  finish(other);
  CHECK(eventfd_write(event, UINT64_MAX - 1) == 0);
  other = start(take_later, NULL);
  show("write at the maximum", eventfd_write(event, 3));
  finish(other);
  CHECK(eventfd_read(event, &value) == 0);
  printf("%llu\n", (unsigned long long)value);
  show("short buffer", read(event, &value, 4));
  value = UINT64_MAX;
  show("forbidden value", write(event, &value, sizeof value));
  close(event);
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
