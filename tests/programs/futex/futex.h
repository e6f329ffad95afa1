// SPDX-License-Identifier: Apache-2.0
// The futex system call as the programs of this folder use it: through syscall(), as libraries do.
#pragma once

#include "../io_support.h"

#include <linux/futex.h>
#include <sys/syscall.h>

static inline long futex(atomic_int* word, int operation, int value, const struct timespec* timeout,
                         atomic_int* second_word, int third_value) {
  return syscall(SYS_futex, word, operation, value, timeout, second_word, third_value);
}
