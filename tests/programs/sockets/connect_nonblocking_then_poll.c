// SPDX-License-Identifier: Apache-2.0
// A non-blocking connect is in progress or done; poll and SO_ERROR tell how it ended.
#include "../io_support.h"

#include <poll.h>

static void connect_to(const char* what, const struct sockaddr_in* address) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  const int result = connect(fd, (const struct sockaddr*)address, sizeof *address);
  CHECK(result == 0 || errno == EINPROGRESS || errno == ECONNREFUSED);
  const bool refused_at_once = result == -1 && errno == ECONNREFUSED;
  struct pollfd writable = {.fd = fd, .events = POLLOUT};
  CHECK(poll(&writable, 1, 10000) == 1);
  int error = 0;
  socklen_t bytes = sizeof error;
  CHECK(getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &bytes) == 0);
  if (refused_at_once) error = ECONNREFUSED;
  printf("%s: %s\n", what, error == 0 ? "connected" : strerrorname_np(error));
  printf("O_NONBLOCK %d\n", (fcntl(fd, F_GETFL) & O_NONBLOCK) != 0);
  close(fd);
}

static void body(void) {
  struct sockaddr_in address;
  const int listener = tcp_listener(&address, 5);
  connect_to("listener", &address);
  close(listener);
  const int silent = bound_socket(SOCK_STREAM, &address);
  connect_to("nobody", &address);
  close(silent);
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
