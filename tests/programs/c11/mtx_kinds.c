// SPDX-License-Identifier: Apache-2.0
// Plain, timed and recursive C11 mutexes lock, try and time out as C11 says.

#include "support.h"

#include <threads.h>

static mtx_t plain, timed, recursive;
static long counter;

static const char* name(int result) {
  return result == thrd_success    ? "success"
         : result == thrd_busy     ? "busy"
         : result == thrd_timedout ? "timed out"
                                   : "error";
}

static int increment(void* argument) {
  (void)argument;
  for (int i = 0; i < 2000; ++i) {
    mtx_lock(&plain);
    ++counter;
    mtx_unlock(&plain);
  }
  return 0;
}
static int try_all(void* argument) {
  (void)argument;
  struct timespec until;
  CHECK(timespec_get(&until, TIME_UTC) == TIME_UTC);
  until.tv_nsec += 20000000;
  until.tv_sec += until.tv_nsec / 1000000000;
  until.tv_nsec %= 1000000000;
  say("timed: %s, ", name(mtx_timedlock(&timed, &until)));
  say("try: %s %s\n", name(mtx_trylock(&timed)), name(mtx_trylock(&recursive)));
  return 0;
}

int main(void) {
  CHECK(mtx_init(&plain, mtx_plain) == thrd_success);
  CHECK(mtx_init(&timed, mtx_timed) == thrd_success);
  CHECK(mtx_init(&recursive, mtx_plain | mtx_recursive) == thrd_success);
  thrd_t threads[6];
  for (int i = 0; i < 6; ++i) CHECK(thrd_create(&threads[i], increment, NULL) == thrd_success);
  for (int i = 0; i < 6; ++i) CHECK(thrd_join(threads[i], NULL) == thrd_success);
  say("counter: %ld\n", counter);
  CHECK(mtx_lock(&timed) == thrd_success);
  for (int i = 0; i < 3; ++i) CHECK(mtx_lock(&recursive) == thrd_success);
  CHECK(thrd_create(&threads[0], try_all, NULL) == thrd_success);
  CHECK(thrd_join(threads[0], NULL) == thrd_success);
  for (int i = 0; i < 3; ++i) CHECK(mtx_unlock(&recursive) == thrd_success);
  mtx_unlock(&timed);
  mtx_destroy(&plain);
  mtx_destroy(&timed);
  mtx_destroy(&recursive);
  return 0;
}
