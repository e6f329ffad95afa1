// SPDX-License-Identifier: Apache-2.0
// accept, connect, send and recv over TCP loopback wait for each other and carry the bytes.
#include "../io_support.h"

static struct sockaddr_in address;

static void* serve_one(void* listener) {
  struct sockaddr_in peer;
  socklen_t bytes = sizeof peer;
  const int fd = accept(*(int*)listener, (struct sockaddr*)&peer, &bytes);
  CHECK(fd >= 0);
  CHECK(bytes == sizeof peer && peer.sin_addr.s_addr == htonl(INADDR_LOOPBACK));
  char buffer[100];
  ssize_t got;
  while ((got = recv(fd, buffer, sizeof buffer, 0)) > 0) CHECK(send(fd, buffer, got, 0) == got);
  CHECK(got == 0);
  close(fd);
  return NULL;
}

static void body(void) {
  int listener = tcp_listener(&address, 5);
  const pthread_t server = start(serve_one, &listener);
  let_it_block();
  const int fd = tcp_connected(&address);
  for (int i = 0; i < 500; ++i) {
    char sent[32], echoed[32];
    const size_t bytes = (size_t)snprintf(sent, sizeof sent, "message %d", i);
    CHECK(send(fd, sent, bytes, 0) == (ssize_t)bytes);
    read_all(fd, echoed, bytes);
    CHECK(memcmp(sent, echoed, bytes) == 0);
    if (i % 100 == 0) sleep_ms(2);
  }
  close(fd);
  finish(server);
  close(listener);
  printf("500 echoes\n");
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
