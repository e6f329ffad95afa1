// SPDX-License-Identifier: Apache-2.0
// connect to a port nobody listens on fails with ECONNREFUSED; the socket can be used again.
#include "../io_support.h"

#include <sys/un.h>

static void body(void) {
  struct sockaddr_in address;
  // Bound, so that nobody else can have the port, but not listening.
  const int silent = bound_socket(SOCK_STREAM, &address);
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  show("tcp", connect(fd, (struct sockaddr*)&address, sizeof address));
  const int listener = tcp_listener(&address, 1);
  show("then", connect(fd, (struct sockaddr*)&address, sizeof address));
  show("again", connect(fd, (struct sockaddr*)&address, sizeof address));
  close(fd);
  close(listener);
  close(silent);
  const int local = socket(AF_UNIX, SOCK_STREAM, 0);
  const struct sockaddr_un nowhere = {AF_UNIX, "/nonexistent/socket"};
  show("unix", connect(local, (const struct sockaddr*)&nowhere, sizeof nowhere));
  show("not connected", send(local, "x", 1, MSG_NOSIGNAL));
  char byte;
  show("recv", recv(local, &byte, 1, 0));
  show("wrong family", connect(local, (struct sockaddr*)&address, sizeof address));
  close(local);
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
