// SPDX-License-Identifier: Apache-2.0
// A connected UDP socket learns of an unreachable port: the waiting recv gets ECONNREFUSED.
#include "../io_support.h"

static void* send_later(void* fd) {
  let_it_block();
  CHECK(send(*(int*)fd, "x", 1, 0) == 1);
  return NULL;
}

static void body(void) {
  struct sockaddr_in address;
  const int closed = udp_socket(&address);
  int fd = socket(AF_INET, SOCK_DGRAM, 0);
  CHECK(connect(fd, (struct sockaddr*)&address, sizeof address) == 0);
  close(closed);
  const pthread_t sender = start(send_later, &fd);
  char byte;
  show("recv", recv(fd, &byte, 1, 0));
  finish(sender);
  show("reported once", recv(fd, &byte, 1, MSG_DONTWAIT));
  close(fd);
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
