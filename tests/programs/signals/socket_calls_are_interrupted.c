// SPDX-License-Identifier: Apache-2.0
// Without SA_RESTART a signal makes recv, accept and send to a full socket fail with EINTR.

#include "support.h"

#include <netinet/in.h>
#include <stdatomic.h>
#include <sys/socket.h>

static int pair[2], listener;
static atomic_int finished;

static void handle(int number) {
  (void)number;
}

static void* wait_in_recv(void* argument) {
  char byte;
  ssize_t result = recv(pair[0], &byte, 1, 0);
  say("recv: %d %s\n", (int)result, error_name(errno));
  atomic_store(&finished, 1);
  return argument;
}
static void* wait_in_accept(void* argument) {
  int result = accept(listener, NULL, NULL);
  say("accept: %d %s\n", result, error_name(errno));
  atomic_store(&finished, 1);
  return argument;
}
static void* wait_in_send(void* argument) {
  static char block[65536];
  while (send(pair[1], block, sizeof block, MSG_DONTWAIT) > 0) {
  }
  ssize_t result = send(pair[1], block, sizeof block, 0);
  // What was sent before the signal may be told instead, and is not here: the socket was full.
  say("send: %d %s\n", (int)result, error_name(errno));
  atomic_store(&finished, 1);
  return argument;
}

static void disturb(void* (*function)(void*)) {
  atomic_store(&finished, 0);
  pthread_t thread = start(function, NULL);
  while (!atomic_load(&finished)) {
    OK(pthread_kill(thread, SIGUSR1));
    sleep_ms(5);
  }
  join(thread);
}

int main(void) {
  OK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
  listener = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  OK(bind(listener, (struct sockaddr*)&address, sizeof address));
  OK(listen(listener, 1));
  on_signal(SIGUSR1, handle, 0);
  disturb(wait_in_recv);
  disturb(wait_in_accept);
  disturb(wait_in_send);
  return 0;
}
