// SPDX-License-Identifier: Apache-2.0
// futex_waitv waits for several words and tells which one woke it; without it one word is used.
#include "futex.h"

#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449
#endif

struct waiter {
  uint64_t value, address;
  uint32_t flags, reserved;
};

enum { WORDS = 4, SIZE_32 = 2, PRIVATE = 128 };
static atomic_int words[WORDS];

static void* wake_third_later(void* unused) {
  (void)unused;
  let_it_block();
  atomic_store(&words[2], 1);
  CHECK(futex(&words[2], FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0) >= 0);
  return NULL;
}

static void body(void) {
  struct waiter waiters[WORDS];
  for (int i = 0; i < WORDS; ++i) {
    atomic_store(&words[i], 0);
    waiters[i] = (struct waiter){.address = (uintptr_t)&words[i], .flags = SIZE_32 | PRIVATE};
  }
  const pthread_t waker = start(wake_third_later, NULL);
  while (atomic_load(&words[2]) == 0) {
    const long result = syscall(SYS_futex_waitv, waiters, WORDS, 0, NULL, CLOCK_MONOTONIC);
    if (result >= 0) {
      CHECK(result == 2);
    } else if (errno == ENOSYS || errno == EPERM) {
      futex(&words[2], FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
    } else {
      CHECK(errno == EAGAIN || errno == EINTR);
    }
  }
  finish(waker);
  const struct timespec deadline = timespec_of_ns(now_ns() + 15 * MILLISECOND_NS);
  waiters[2].value = 1;
  const long result = syscall(SYS_futex_waitv, waiters, WORDS, 0, &deadline, CLOCK_MONOTONIC);
  CHECK(result == -1 && (errno == ETIMEDOUT || errno == ENOSYS || errno == EPERM));
  waiters[1].value = 9;
  CHECK(syscall(SYS_futex_waitv, waiters, WORDS, 0, NULL, CLOCK_MONOTONIC) == -1);
  CHECK(errno == EAGAIN || errno == ENOSYS || errno == EPERM);
  printf("woken by the third\n");
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
