// SPDX-License-Identifier: Apache-2.0
// Three hundred threads wait on fifty words; each is woken by its own word only, ten times.
#include "futex.h"

enum { THREADS = 300, WORDS = 50, ROUNDS = 10 };
static atomic_int words[WORDS], awake;

static void* follow(void* index) {
  atomic_int* own = &words[(intptr_t)index % WORDS];
  for (int round = 0; round < ROUNDS; ++round) {
    while (atomic_load(own) == round) {
      const long result = futex(own, FUTEX_WAIT_PRIVATE, round, NULL, NULL, 0);
      CHECK(result == 0 || errno == EAGAIN || errno == EINTR);
    }
    atomic_fetch_add(&awake, 1);
  }
  return NULL;
}

int main(void) {
  pthread_t threads[THREADS];
  for (intptr_t i = 0; i < THREADS; ++i) threads[i] = start(follow, (void*)i);
  let_it_block();
  for (int round = 1; round <= ROUNDS; ++round) {
    for (int i = 0; i < WORDS; ++i) {
      atomic_store(&words[i], round);
      CHECK(futex(&words[i], FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0) >= 0);
    }
    while (atomic_load(&awake) < round * THREADS) sleep_ms(1);
  }
  for (int i = 0; i < THREADS; ++i) finish(threads[i]);
  printf("%d wake-ups\n", atomic_load(&awake));
  return 0;
}
