// SPDX-License-Identifier: Apache-2.0
// thrd_create, thrd_join, thrd_exit, thrd_equal and thrd_current give what C11 says.

#include "support.h"

#include <threads.h>

static thrd_t seen;

static int return_number(void* argument) {
  seen = thrd_current();
  thrd_yield();
  return *(int*)argument;
}
static int exit_number(void* argument) {
  thrd_exit(-*(int*)argument);
}

int main(void) {
  int number = 42, result;
  thrd_t thread;
  CHECK(thrd_create(&thread, return_number, &number) == thrd_success);
  CHECK(thrd_join(thread, &result) == thrd_success);
  say("returned %d, itself: %d, main: %d\n", result, thrd_equal(seen, thread) != 0,
      thrd_equal(seen, thrd_current()) != 0);
  CHECK(thrd_create(&thread, exit_number, &number) == thrd_success);
  CHECK(thrd_join(thread, &result) == thrd_success);
  say("exited %d\n", result);
  return 0;
}
