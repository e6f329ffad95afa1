// SPDX-License-Identifier: Apache-2.0
// Socket calls on things that are no sockets, or not ready for them, fail with the right errors.
#include "../io_support.h"

static void body(void) {
  char byte = 0;
  struct sockaddr_in address;
  int ends[2];
  CHECK(pipe(ends) == 0);
  show("recv on a pipe", recv(ends[0], &byte, 1, 0));
  show("send on a pipe", send(ends[1], &byte, 1, 0));
  show("accept on a pipe", accept(ends[0], NULL, NULL));
  show("shutdown of a pipe", shutdown(ends[0], SHUT_RD));
  close(ends[0]);
  close(ends[1]);
  const int fd = bound_socket(SOCK_STREAM, &address);
  show("accept without listen", accept(fd, NULL, NULL));
  show("recv without connect", recv(fd, &byte, 1, 0));
  show("send without connect", send(fd, &byte, 1, MSG_NOSIGNAL));
  show("shutdown without connect", shutdown(fd, SHUT_RD));
  const int other = socket(AF_INET, SOCK_STREAM, 0);
  show("bind twice", bind(other, (struct sockaddr*)&address, sizeof address));
  close(other);
  close(fd);
  const int datagrams = socket(AF_INET, SOCK_DGRAM, 0);
  show("accept of datagrams", accept(datagrams, NULL, NULL));
  show("send to nobody", send(datagrams, &byte, 1, 0));
  static char large[70000];
  address.sin_port = htons(9);
  show("too long",
       sendto(datagrams, large, sizeof large, 0, (struct sockaddr*)&address, sizeof address));
  close(datagrams);
  show("unknown family", socket(-1, SOCK_STREAM, 0));
  show("short address",
       connect(bound_socket(SOCK_STREAM, &address), (struct sockaddr*)&address, 2));
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
