// SPDX-License-Identifier: Apache-2.0
// With SA_RESTART a signal to a thread in read, recv or accept runs its handler, and the call goes
// on.

#include "support.h"

#include <netinet/in.h>
#include <stdatomic.h>
#include <sys/socket.h>

static int ends[2], pair[2], listener;
static atomic_int handled, ready;

static void handle(int number) {
  (void)number;
  atomic_fetch_add(&handled, 1);
}
static void* wait_in_read(void* argument) {
  char byte = 0;
  atomic_store(&ready, 1);
  CHECK(read(ends[0], &byte, 1) == 1);
  say("read %c\n", byte);
  return argument;
}
static void* wait_in_recv(void* argument) {
  char byte = 0;
  atomic_store(&ready, 1);
  CHECK(recv(pair[0], &byte, 1, 0) == 1);
  say("received %c\n", byte);
  return argument;
}
static void* wait_in_accept(void* argument) {
  atomic_store(&ready, 1);
  CHECK(accept(listener, NULL, NULL) >= 0);
  say("accepted\n");
  return argument;
}

static pthread_t disturb(void* (*function)(void*)) {
  atomic_store(&ready, 0);
  pthread_t thread = start(function, NULL);
  WAIT_FOR(atomic_load(&ready));
  for (int i = 0; i < 4; ++i) {
    int before = atomic_load(&handled);
    OK(pthread_kill(thread, SIGUSR1));
    WAIT_FOR(atomic_load(&handled) > before);
    sleep_ms(3);
  }
  return thread;
}

int main(void) {
  OK(pipe(ends));
  OK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
  listener = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof address;
  OK(bind(listener, (struct sockaddr*)&address, size));
  OK(listen(listener, 1));
  OK(getsockname(listener, (struct sockaddr*)&address, &size));
  on_signal(SIGUSR1, handle, SA_RESTART);
  pthread_t thread = disturb(wait_in_read);
  CHECK(write(ends[1], "a", 1) == 1);
  join(thread);
  thread = disturb(wait_in_recv);
  CHECK(send(pair[1], "b", 1, 0) == 1);
  join(thread);
  thread = disturb(wait_in_accept);
  int client = socket(AF_INET, SOCK_STREAM, 0);
  OK(connect(client, (struct sockaddr*)&address, size));
  join(thread);
  say("handled: %d\n", atomic_load(&handled));
  return 0;
}
