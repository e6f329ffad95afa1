// SPDX-License-Identifier: Apache-2.0
// Two hundred pairs of threads exchange messages at the same time; none is lost or mixed up.
// exits: 7
#include "../io_support.h"

enum { PAIRS = 200, ROUNDS = 50 };
static int ends[PAIRS][2];

static void* play(void* index) {
  const intptr_t own = (intptr_t)index;
  const int fd = ends[own / 2][own % 2];
  for (int i = 0; i < ROUNDS; ++i) {
    long message = own * ROUNDS + i;
    if (own % 2 == 0) CHECK(write(fd, &message, sizeof message) == sizeof message);
    long received;
    CHECK(read(fd, &received, sizeof received) == sizeof received);
    CHECK(received == (own ^ 1) * ROUNDS + i);
    if (own % 2 == 1) CHECK(write(fd, &message, sizeof message) == sizeof message);
  }
  return NULL;
}

int main(void) {
  for (int i = 0; i < PAIRS; ++i) CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends[i]) == 0);
  in_threads(2 * PAIRS, play);
  printf("%d messages\n", 2 * PAIRS * ROUNDS);
  return 7;
}
