// SPDX-License-Identifier: Apache-2.0
// connect to a UNIX listener whose backlog is full waits for an accept, or for its send timeout.
#include "../io_support.h"

#include <sys/time.h>
#include <sys/un.h>

enum { CLIENTS = 6 };
static const struct sockaddr_un address = {AF_UNIX, "listener"};

static void* connect_and_say(void* index) {
  const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  CHECK(connect(fd, (const struct sockaddr*)&address, sizeof address) == 0);
  const char name = (char)('a' + (intptr_t)index);
  CHECK(write(fd, &name, 1) == 1);
  close(fd);
  return NULL;
}

int main(void) {
  enter_temporary_directory();
  const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
  CHECK(bind(listener, (const struct sockaddr*)&address, sizeof address) == 0);
  CHECK(listen(listener, 0) == 0);
  pthread_t clients[CLIENTS];
  for (intptr_t i = 0; i < CLIENTS; ++i) clients[i] = start(connect_and_say, (void*)i);
  sleep_ms(50);
  const int late = socket(AF_UNIX, SOCK_STREAM, 0);
  const struct timeval timeout = {.tv_usec = 30000};
  CHECK(setsockopt(late, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout) == 0);
  const int64_t began = now_ns();
  // Each client may or may not be there yet, so the latecomer fills the backlog up first.
  int fillers[CLIENTS], filled = 0, result = 0;
  for (; filled < CLIENTS; ++filled) {
    fillers[filled] = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
    result = connect(fillers[filled], (const struct sockaddr*)&address, sizeof address);
    if (result != 0) break;
  }
  show("not waiting", result);
  show("with a timeout", connect(late, (const struct sockaddr*)&address, sizeof address));
  CHECK(now_ns() - began >= 30 * MILLISECOND_NS);
  int sum = 0;
  for (int i = 0; i < CLIENTS + filled; ++i) {
    const int fd = accept(listener, NULL, NULL);
    char name;
    CHECK(fd >= 0);
    if (i == 0) {
      for (int j = 0; j <= filled && j < CLIENTS; ++j) close(fillers[j]);
    }
    if (read(fd, &name, 1) == 1) sum += name - 'a';
    close(fd);
  }
  for (int i = 0; i < CLIENTS; ++i) finish(clients[i]);
  printf("sum of clients %d\n", sum);
  return 0;
}
