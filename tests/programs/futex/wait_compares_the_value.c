// SPDX-License-Identifier: Apache-2.0
// FUTEX_WAIT on a word that has another value fails with EAGAIN at once.
#include "futex.h"

static atomic_int word = 5;

static void body(void) {
  show("WAIT", futex(&word, FUTEX_WAIT, 4, NULL, NULL, 0));
  show("WAIT private", futex(&word, FUTEX_WAIT_PRIVATE, 4, NULL, NULL, 0));
  show("WAIT_BITSET", futex(&word, FUTEX_WAIT_BITSET_PRIVATE, 4, NULL, NULL, 1));
  const struct timespec soon = timespec_of_ns(MILLISECOND_NS);
  show("with a timeout", futex(&word, FUTEX_WAIT_PRIVATE, 4, &soon, NULL, 0));
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
