// SPDX-License-Identifier: Apache-2.0
// raise runs the handler before it returns, in the same thread: same id, same storage, same stack.

#include "support.h"

#include <stdint.h>

static _Thread_local int storage;
static _Thread_local volatile sig_atomic_t runs;
static _Thread_local int* seen_storage;
static _Thread_local pid_t seen_id;
static _Thread_local uintptr_t seen_stack;

static void handle(int number) {
  (void)number;
  ++runs;
  seen_storage = &storage;
  seen_id = gettid();
  seen_stack = (uintptr_t)__builtin_frame_address(0);
}

static void* raise_often(void* argument) {
  for (int round = 1; round <= 10; ++round) {
    sleep_ms(1);
    OK(raise(SIGUSR1));
    CHECK(runs == round && seen_storage == &storage && seen_id == gettid());
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    CHECK(seen_stack < here && here - seen_stack < 65536);
  }
  return argument;
}

int main(void) {
  on_signal(SIGUSR1, handle, 0);
  pthread_t threads[8];
  for (int i = 0; i < 8; ++i) threads[i] = start(raise_often, NULL);
  raise_often(NULL);
  for (int i = 0; i < 8; ++i) join(threads[i]);
  say("each handled its own\n");
  return 0;
}
