// SPDX-License-Identifier: Apache-2.0
// Futex calls with bad addresses, operations and alignments fail with the right errors.
#include "futex.h"

#include <sys/mman.h>

static void body(void) {
  static atomic_int words[2];
  atomic_int* unmapped = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(unmapped != MAP_FAILED);
  // Made from a number, as a misaligned object would be undefined.
  atomic_int* misaligned = (atomic_int*)((uintptr_t)words + 1);
  show("wait, unmapped", futex(unmapped, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0));
  show("wait, misaligned", futex(misaligned, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0));
  show("wake, misaligned", futex(misaligned, FUTEX_WAKE_PRIVATE, 0, NULL, NULL, 0));
  show("unknown operation", futex(words, 100, 0, NULL, NULL, 0));
  show("realtime wake", futex(words, FUTEX_WAKE | FUTEX_CLOCK_REALTIME, 1, NULL, NULL, 0));
  show("bad timeout pointer",
       futex(words, FUTEX_WAIT_PRIVATE, 0, (struct timespec*)unmapped, NULL, 0));
  show("unlock of a foreign lock", futex(words, FUTEX_UNLOCK_PI, 0, NULL, NULL, 0));
  munmap(unmapped, 4096);
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
