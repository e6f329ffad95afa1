// SPDX-License-Identifier: Apache-2.0
// pthread_cancel and pthread_exit unwind C++ frames: destructors run, and catch (...) sees it and
// rethrows.

#include "support.h"

struct Noisy {
  const char* name;
  ~Noisy() { say("destroy %s\n", name); }
};

static sem_t in_place;

static void* run(void* exits) {
  Noisy outer{"outer"};
  try {
    Noisy inner{"inner"};
    OK(sem_post(&in_place));
    if (exits != nullptr) pthread_exit(exits);
    for (;;) sleep(1000);
  } catch (...) {
    say("forced unwinding\n");
    throw;
  }
  return nullptr;
}

int main() {
  OK(sem_init(&in_place, 0, 0));
  pthread_t thread = start(run, nullptr);
  OK(sem_wait(&in_place));
  OK(pthread_cancel(thread));
  say("cancelled: %d\n", join(thread) == PTHREAD_CANCELED);
  say("exited: %d\n", join(start(run, &in_place)) == &in_place);
}
