// SPDX-License-Identifier: Apache-2.0
// A server with a thread for each connection, and its clients, while the system refuses things.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/socket.h>

#include "tell.h"

enum { clients = 4, rounds = 50 };

static struct sockaddr_in address;

static void* serve(void* argument) {
  int peer = (int)(intptr_t)argument;
  char text[64];
  for (ssize_t bytes; (bytes = recv(peer, text, sizeof text, 0)) > 0;) {
    MUST(send(peer, text, (size_t)bytes, 0) == bytes ? 0 : -1);
  }
  close(peer);
  return NULL;
}

static void* ask(void* argument) {
  int peer = socket(AF_INET, SOCK_STREAM, 0);
  MUST(peer < 0 ? -1 : 0);
  MUST(connect(peer, (struct sockaddr*)&address, sizeof address));
  for (int i = 0; i < rounds; ++i) {
    char byte = (char)i;
    MUST(write(peer, &byte, 1) == 1 ? 0 : -1);
    struct pollfd readable = {peer, POLLIN, 0};
    MUST(poll(&readable, 1, -1) == 1 ? 0 : -1);
    MUST(read(peer, &byte, 1) == 1 && byte == (char)i ? 0 : -1);
  }
  close(peer);
  return argument;
}

int main(void) {
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  address = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  socklen_t bytes = sizeof address;
  MUST(bind(listener, (struct sockaddr*)&address, bytes));
  MUST(listen(listener, clients));
  MUST(getsockname(listener, (struct sockaddr*)&address, &bytes));
  pthread_t asking[clients], serving[clients];
  for (int i = 0; i < clients; ++i) MUST(pthread_create(&asking[i], NULL, ask, NULL));
  for (int i = 0; i < clients; ++i) {
    int peer = accept(listener, NULL, NULL);
    MUST(peer < 0 ? -1 : 0);
    MUST(pthread_create(&serving[i], NULL, serve, (void*)(intptr_t)peer));
  }
  for (int i = 0; i < clients; ++i) MUST(pthread_join(asking[i], NULL));
  for (int i = 0; i < clients; ++i) MUST(pthread_join(serving[i], NULL));
  dprintf(STDOUT_FILENO, "%d answers\n", clients * rounds);
  return 0;
}
