// SPDX-License-Identifier: Apache-2.0
// Eight threads accept on one listener; every connection is served exactly once.
#include "../io_support.h"

enum { ACCEPTORS = 8, CONNECTIONS = 200 };
static int listener;
static struct sockaddr_in address;
static atomic_int served[CONNECTIONS];

static void* accept_and_serve(void* unused) {
  (void)unused;
  for (;;) {
    const int fd = accept(listener, NULL, NULL);
    if (fd < 0) return NULL;
    int number;
    read_all(fd, &number, sizeof number);
    if (number >= 0) atomic_fetch_add(&served[number], 1);
    write_all(fd, &number, sizeof number);
    close(fd);
  }
}

static void* connect_all(void* index) {
  for (int i = (int)(intptr_t)index; i < CONNECTIONS; i += 4) {
    const int fd = tcp_connected(&address);
    int number = i;
    write_all(fd, &number, sizeof number);
    read_all(fd, &number, sizeof number);
    CHECK(number == i);
    close(fd);
  }
  return NULL;
}

int main(void) {
  listener = tcp_listener(&address, 64);
  pthread_t acceptors[ACCEPTORS];
  for (int i = 0; i < ACCEPTORS; ++i) acceptors[i] = start(accept_and_serve, NULL);
  let_it_block();
  in_threads(4, connect_all);
  CHECK(shutdown(listener, SHUT_RDWR) == 0);
  for (int i = 0; i < ACCEPTORS; ++i) finish(acceptors[i]);
  int once = 0;
  for (int i = 0; i < CONNECTIONS; ++i) once += atomic_load(&served[i]) == 1;
  printf("%d served once\n", once);
  return 0;
}
