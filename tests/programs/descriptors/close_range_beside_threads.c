// SPDX-License-Identifier: Apache-2.0
// close_range() over every number there can be leaves threads at work that wait below it.

#include "busy.h"

#include <limits.h>
#include <sys/syscall.h>

int main(void) {
  for (int round = 0; round < 20; ++round) {
    struct game game;
    begin_game(&game);
    unsigned first = (unsigned)(game.ends[0] > game.ends[1] ? game.ends[0] : game.ends[1]) + 1;
    CHECK(dup2(0, (int)first + 50) == (int)first + 50);
    if (round % 2 == 0) {
      OK(close_range(first, ~0U, 0));
    } else {
      OK((int)syscall(SYS_close_range, first, ~0U, 0));
    }
    CHECK(fcntl((int)first + 50, F_GETFD) == -1 && errno == EBADF);
    OK(close_range(first, INT_MAX, CLOSE_RANGE_CLOEXEC));
    end_game(&game);
  }
  play();
  CHECK(close_range(9, 8, 0) == -1);
  say("backwards: %s\n", error_name(errno));
  return 0;
}
