// SPDX-License-Identifier: Apache-2.0
// A program under faults tells what a call could not do, and ends with 3: natively it would, too.
#pragma once

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MUST(call) must((call), #call)

// For calls that answer 0, or an error in either way.
static inline void must(long result, const char* what) {
  if (result == 0) return;
  // In one write, also where libc has no memory for a buffer: other threads may fail, too.
  char line[256];
  const int bytes = snprintf(line, sizeof(line), "program: %s: %s\n", what,
                             strerror(result == -1 ? errno : (int)result));
  const ssize_t told = write(STDERR_FILENO, line, (size_t)bytes);
  _exit(told == bytes ? 3 : 4);
}
