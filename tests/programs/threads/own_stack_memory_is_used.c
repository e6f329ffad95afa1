// SPDX-License-Identifier: Apache-2.0
// A thread given memory for its stack runs on it, reports it, and leaves it to its owner for the
// next thread.

#include "support.h"

#include <stdint.h>
#include <sys/mman.h>

enum { bytes = 1 << 20 };
static char* memory;

static void* look(void* argument) {
  char local = 0;
  uintptr_t here = (uintptr_t)&local;
  pthread_attr_t attributes;
  void* address;
  size_t size;
  OK(pthread_getattr_np(pthread_self(), &attributes));
  OK(pthread_attr_getstack(&attributes, &address, &size));
  OK(pthread_attr_destroy(&attributes));
  sleep_ms(2);
  say("inside: %d, reported: %d\n", here >= (uintptr_t)memory && here < (uintptr_t)memory + bytes,
      address == (void*)memory && size == bytes);
  return argument;
}

int main(void) {
  memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(memory != MAP_FAILED);
  pthread_attr_t attributes;
  OK(pthread_attr_init(&attributes));
  OK(pthread_attr_setstack(&attributes, memory, bytes));
  for (int round = 0; round < 3; ++round) {
    pthread_t thread;
    OK(pthread_create(&thread, &attributes, look, NULL));
    join(thread);
  }
  OK(munmap(memory, bytes));
  return 0;
}
