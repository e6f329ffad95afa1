// SPDX-License-Identifier: Apache-2.0
// accept4 gives the new descriptor the flags asked for; accept gives none; the listener keeps its
// own.
#include "../io_support.h"

static struct sockaddr_in address;

static void* connect_later(void* unused) {
  (void)unused;
  let_it_block();
  return (void*)(intptr_t)tcp_connected(&address);
}

static void show_flags(const char* what, int fd) {
  CHECK(fd >= 0);
  printf("%s: O_NONBLOCK %d FD_CLOEXEC %d\n", what, (fcntl(fd, F_GETFL) & O_NONBLOCK) != 0,
         fcntl(fd, F_GETFD) & FD_CLOEXEC);
}

static void accept_with(const char* what, int listener, int flags) {
  const pthread_t client = start(connect_later, NULL);
  const int fd = flags == -1 ? accept(listener, NULL, NULL) : accept4(listener, NULL, NULL, flags);
  show_flags(what, fd);
  close((int)(intptr_t)finish(client));
  close(fd);
}

static void body(void) {
  const int listener = tcp_listener(&address, 5);
  accept_with("accept", listener, -1);
  accept_with("accept4 0", listener, 0);
  accept_with("accept4 NONBLOCK", listener, SOCK_NONBLOCK);
  accept_with("accept4 CLOEXEC", listener, SOCK_CLOEXEC);
  accept_with("accept4 both", listener, SOCK_NONBLOCK | SOCK_CLOEXEC);
  show_flags("listener", listener);
  show("unknown flag", accept4(listener, NULL, NULL, 1));
  CHECK(fcntl(listener, F_SETFL, O_NONBLOCK) == 0);
  show("nobody there", accept(listener, NULL, NULL));
  const int client = tcp_connected(&address);
  const int fd = accept(listener, NULL, NULL);
  show_flags("from a non-blocking listener", fd);
  close(fd);
  close(client);
  close(listener);
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
