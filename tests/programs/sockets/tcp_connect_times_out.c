// SPDX-License-Identifier: Apache-2.0
// A TCP connect that gets no answer ends after SO_SNDTIMEO with EINPROGRESS.
#include "../io_support.h"

#include <sys/time.h>

static void body(void) {
  struct sockaddr_in address;
  const int listener = tcp_listener(&address, 0);
  // The backlog is filled with connections that nobody accepts; further ones get no answer.
  int fillers[8], filled = 0;
  int result = 0;
  int64_t began = 0;
  while (filled < 8 && result == 0) {
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    const struct timeval timeout = {.tv_usec = 150000};
    CHECK(setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout) == 0);
    began = now_ns();
    result = connect(fd, (struct sockaddr*)&address, sizeof address);
    fillers[filled++] = fd;
  }
  show("connect", result);
  CHECK(now_ns() - began >= 150 * MILLISECOND_NS);
  for (int i = 0; i < filled; ++i) close(fillers[i]);
  close(listener);
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
