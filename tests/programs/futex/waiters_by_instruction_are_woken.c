// SPDX-License-Identifier: Apache-2.0
// Who waits by an instruction of its own, as libgomp does, is woken by syscall().
#include "futex.h"

static atomic_int word;

static long wait_by_instruction(atomic_int* address, int expected) {
  long result = SYS_futex;
  register long timeout __asm__("r10") = 0;
  __asm__ volatile("syscall"
                   : "+a"(result)
                   : "D"(address), "S"((long)FUTEX_WAIT), "d"((long)expected), "r"(timeout)
                   : "rcx", "r11", "memory");
  return result;
}

static void* wait_for_change(void* unused) {
  while (atomic_load(&word) == 0) wait_by_instruction(&word, 0);
  return unused;
}

static void* wait_by_call(void* unused) {
  while (atomic_load(&word) == 0) futex(&word, FUTEX_WAIT, 0, NULL, NULL, 0);
  return unused;
}

int main(void) {
  for (int round = 0; round < 5; ++round) {
    atomic_store(&word, 0);
    const pthread_t one = start(wait_for_change, NULL);
    const pthread_t other = start(wait_by_call, NULL);
    let_it_block();
    atomic_store(&word, 1);
    const long woken = futex(&word, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
    CHECK(woken >= 0 && woken <= 2);
    finish(one);
    finish(other);
  }
  puts("all awake");
  return 0;
}
