// SPDX-License-Identifier: Apache-2.0
// FUTEX_WAKE_OP changes the second word, wakes the first and, if the old value fits, the second.
#include "futex.h"

static atomic_int first, second;
static atomic_int awake_first, awake_second;

static void* wait_on_first(void* unused) {
  (void)unused;
  while (futex(&first, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0) != 0) CHECK(errno == EINTR);
  atomic_fetch_add(&awake_first, 1);
  return NULL;
}

static void* wait_on_second(void* unused) {
  (void)unused;
  while (futex(&second, FUTEX_WAIT_PRIVATE, 7, NULL, NULL, 0) != 0) CHECK(errno == EINTR);
  atomic_fetch_add(&awake_second, 1);
  return NULL;
}

static long wake_both(int operation) {
  return futex(&first, FUTEX_WAKE_OP_PRIVATE, 1, (const struct timespec*)(intptr_t)1, &second,
               operation);
}

int main(void) {
  atomic_store(&second, 7);
  const pthread_t one = start(wait_on_first, NULL), two = start(wait_on_second, NULL);
  // Set to the same value, so that late waiters still find what they expect.
  const int set_if_seven = FUTEX_OP(FUTEX_OP_SET, 7, FUTEX_OP_CMP_EQ, 7);
  long woken = 0;
  while (woken < 2) {
    sleep_ms(1);
    woken += wake_both(set_if_seven);
  }
  finish(one);
  finish(two);
  printf("%d %d awake\n", atomic_load(&awake_first), atomic_load(&awake_second));
  show("add", wake_both(FUTEX_OP(FUTEX_OP_ADD, 5, FUTEX_OP_CMP_GT, 100)));
  printf("second %d\n", atomic_load(&second));
  show("or", wake_both(FUTEX_OP(FUTEX_OP_OR, 16, FUTEX_OP_CMP_EQ, 0)));
  printf("second %d\n", atomic_load(&second));
  return 0;
}
