// SPDX-License-Identifier: Apache-2.0
// A shared futex in shared memory wakes a thread of another process, and the other way round.
#include "futex.h"

#include <sys/mman.h>

enum { ROUNDS = 500 };
static atomic_int* turn;

static void* play(void* parity) {
  for (int i = 0; i < ROUNDS; ++i) {
    const int wanted = 2 * i + (int)(intptr_t)parity;
    for (int seen; (seen = atomic_load(turn)) != wanted;) {
      const long result = futex(turn, FUTEX_WAIT, seen, NULL, NULL, 0);
      CHECK(result == 0 || errno == EAGAIN || errno == EINTR);
    }
    atomic_store(turn, wanted + 1);
    CHECK(futex(turn, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0) >= 0);
  }
  return NULL;
}

int main(void) {
  turn = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  CHECK(turn != MAP_FAILED);
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    finish(start(play, (void*)1));
    _exit(9);
  }
  finish(start(play, (void*)0));
  int status;
  CHECK(waitpid(child, &status, 0) == child);
  printf("%d turns, child's code %d\n", atomic_load(turn), WEXITSTATUS(status));
  return 0;
}
