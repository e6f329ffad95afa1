// SPDX-License-Identifier: Apache-2.0
// MSG_WAITALL with a receive timeout returns what had come when the time was up.
#include "../io_support.h"

#include <sys/time.h>

static void body(void) {
  char buffer[50];
  int ends[2];
  tcp_pair(ends);
  const struct timeval timeout = {.tv_usec = 60000};
  CHECK(setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout) == 0);
  CHECK(write(ends[1], "some bytes", 10) == 10);
  const int64_t began = now_ns();
  show("recv", recv(ends[0], buffer, sizeof buffer, MSG_WAITALL));
  CHECK(now_ns() - began >= 50 * MILLISECOND_NS);
  show("nothing", recv(ends[0], buffer, sizeof buffer, MSG_WAITALL));
  close(ends[0]);
  close(ends[1]);
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
