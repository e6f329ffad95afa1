// SPDX-License-Identifier: Apache-2.0
// A thread-per-connection server echoes to a hundred clients that are all connected at once.
#include "../io_support.h"

enum { CLIENTS = 100, MESSAGES = 20 };
static struct sockaddr_in address;
static pthread_barrier_t all_connected;

static void* echo(void* connection) {
  const int fd = (int)(intptr_t)connection;
  char buffer[256];
  ssize_t got;
  while ((got = read(fd, buffer, sizeof buffer)) > 0) write_all(fd, buffer, (size_t)got);
  CHECK(got == 0);
  close(fd);
  return NULL;
}

static void* serve(void* listener) {
  pthread_t servers[CLIENTS];
  for (int i = 0; i < CLIENTS; ++i) {
    const int fd = accept(*(int*)listener, NULL, NULL);
    CHECK(fd >= 0);
    servers[i] = start(echo, (void*)(intptr_t)fd);
  }
  for (int i = 0; i < CLIENTS; ++i) finish(servers[i]);
  return NULL;
}

static void* talk(void* index) {
  const int fd = tcp_connected(&address);
  pthread_barrier_wait(&all_connected);
  for (int i = 0; i < MESSAGES; ++i) {
    char sent[64], echoed[64];
    const int bytes = snprintf(sent, sizeof sent, "client %d message %d", (int)(intptr_t)index, i);
    write_all(fd, sent, (size_t)bytes);
    read_all(fd, echoed, (size_t)bytes);
    CHECK(memcmp(sent, echoed, (size_t)bytes) == 0);
  }
  close(fd);
  return NULL;
}

int main(void) {
  CHECK(pthread_barrier_init(&all_connected, NULL, CLIENTS) == 0);
  int listener = tcp_listener(&address, 128);
  const pthread_t server = start(serve, &listener);
  in_threads(CLIENTS, talk);
  finish(server);
  printf("%d messages echoed\n", CLIENTS * MESSAGES);
  return 0;
}
