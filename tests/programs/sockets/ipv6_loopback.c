// SPDX-License-Identifier: Apache-2.0
// IPv6 loopback, where there is one, carries bytes and tells addresses just as IPv4 does.
#include "../io_support.h"

static struct sockaddr_in6 address;

static void* connect_later(void* unused) {
  (void)unused;
  let_it_block();
  const int fd = socket(AF_INET6, SOCK_STREAM, 0);
  CHECK(connect(fd, (struct sockaddr*)&address, sizeof address) == 0);
  CHECK(send(fd, "six", 3, 0) == 3);
  close(fd);
  return NULL;
}

static void talk(void) {
  const int listener = socket(AF_INET6, SOCK_STREAM, 0);
  address = (struct sockaddr_in6){.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
  if (listener < 0 || bind(listener, (struct sockaddr*)&address, sizeof address) != 0) return;
  socklen_t bytes = sizeof address;
  CHECK(getsockname(listener, (struct sockaddr*)&address, &bytes) == 0);
  CHECK(listen(listener, 5) == 0);
  const pthread_t client = start(connect_later, NULL);
  struct sockaddr_in6 peer;
  bytes = sizeof peer;
  const int fd = accept(listener, (struct sockaddr*)&peer, &bytes);
  CHECK(fd >= 0 && bytes == sizeof peer && IN6_IS_ADDR_LOOPBACK(&peer.sin6_addr));
  char text[8];
  CHECK(recv(fd, text, 3, MSG_WAITALL) == 3 && memcmp(text, "six", 3) == 0);
  CHECK(recv(fd, text, 3, 0) == 0);
  finish(client);
  close(fd);
  close(listener);
}

static void body(void) {
  talk();
  printf("ok\n");
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
