// SPDX-License-Identifier: Apache-2.0
// Four threads share one epoll set with fifty connections, one-shot; every request is answered.
#include "../io_support.h"

#include <sys/epoll.h>

enum { THREADS = 4, CONNECTIONS = 50, REQUESTS = 40 };
static int epoll, client_ends[CONNECTIONS];

static void* serve(void* unused) {
  (void)unused;
  for (;;) {
    struct epoll_event events[8];
    const int ready = epoll_wait(epoll, events, 8, -1);
    CHECK(ready > 0);
    for (int i = 0; i < ready; ++i) {
      if (events[i].data.fd == -1) return NULL;
      int number;
      const ssize_t got = recv(events[i].data.fd, &number, sizeof number, 0);
      if (got == 0) {
        close(events[i].data.fd);
        continue;
      }
      CHECK(got == sizeof number);
      number *= 2;
      CHECK(send(events[i].data.fd, &number, sizeof number, 0) == sizeof number);
      events[i].events = EPOLLIN | EPOLLONESHOT;
      CHECK(epoll_ctl(epoll, EPOLL_CTL_MOD, events[i].data.fd, &events[i]) == 0);
    }
  }
}

static void* request(void* index) {
  const int fd = client_ends[(intptr_t)index];
  for (int i = 0; i < REQUESTS; ++i) {
    int number = i;
    CHECK(send(fd, &number, sizeof number, 0) == sizeof number);
    CHECK(recv(fd, &number, sizeof number, 0) == sizeof number);
    CHECK(number == 2 * i);
  }
  close(fd);
  return NULL;
}

int main(void) {
  epoll = epoll_create1(0);
  for (int i = 0; i < CONNECTIONS; ++i) {
    int ends[2];
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    client_ends[i] = ends[0];
    struct epoll_event event = {.events = EPOLLIN | EPOLLONESHOT, .data.fd = ends[1]};
    CHECK(epoll_ctl(epoll, EPOLL_CTL_ADD, ends[1], &event) == 0);
  }
  pthread_t servers[THREADS];
  for (int i = 0; i < THREADS; ++i) servers[i] = start(serve, NULL);
  in_threads(CONNECTIONS, request);
  int stop[2];
  CHECK(pipe(stop) == 0);
  struct epoll_event event = {.events = EPOLLIN, .data.fd = -1};
  CHECK(epoll_ctl(epoll, EPOLL_CTL_ADD, stop[0], &event) == 0);
  close(stop[1]);
  for (int i = 0; i < THREADS; ++i) finish(servers[i]);
  printf("%d requests\n", CONNECTIONS * REQUESTS);
  return 0;
}
