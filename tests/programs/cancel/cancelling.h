// SPDX-License-Identifier: Apache-2.0
// Cancels a thread in a call that waits, once when it waits there and once before it gets there.
#pragma once

#include "support.h"

struct Waiting {
  void (*wait)(void);
  int cleaned;
};

static inline void note_cleaned(void* waiting) {
  ((struct Waiting*)waiting)->cleaned = 1;
}

static inline void* wait_in(void* argument) {
  struct Waiting* waiting = (struct Waiting*)argument;
  pthread_cleanup_push(note_cleaned, waiting);
  waiting->wait();
  pthread_cleanup_pop(0);
  return NULL;
}

static inline void cancel_in(const char* name, void (*wait)(void)) {
  static const long delays_ms[] = {10, 0};
  for (int i = 0; i < 2; ++i) {
    struct Waiting waiting = {wait, 0};
    pthread_t thread = start(wait_in, &waiting);
    if (delays_ms[i] > 0) sleep_ms(delays_ms[i]);
    OK(pthread_cancel(thread));
    int cancelled = join(thread) == PTHREAD_CANCELED;
    say("%s: cancelled %d, cleaned %d\n", name, cancelled, waiting.cleaned);
  }
}
