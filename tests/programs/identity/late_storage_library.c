// SPDX-License-Identifier: Apache-2.0
// A library with thread-local storage that is loaded while threads run.

static __thread int counter = 1000;

int* late_counter(void) {
  return &counter;
}
