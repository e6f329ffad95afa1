// SPDX-License-Identifier: Apache-2.0
// closefrom() closes what the program has opened, and threads wait for new descriptors as before.

#include "busy.h"

static void* close_all(void* argument) {
  closefrom(3);
  return argument;
}

int main(void) {
  play();
  for (int round = 0; round < 20; ++round) {
    int file = open("/dev/null", O_RDONLY);
    CHECK(file == 3 && dup2(file, 200) == 200);
    if (round % 2 == 0) {
      closefrom(3);
    } else {
      join(start(close_all, NULL));
    }
    CHECK(fcntl(file, F_GETFD) == -1 && errno == EBADF);
    CHECK(fcntl(200, F_GETFD) == -1 && errno == EBADF);
    play();
  }
  say("done\n");
  return 0;
}
