// SPDX-License-Identifier: Apache-2.0
// A listener inherited by a child is accepted on by threads of both; each connection is served
// once.
#include "../io_support.h"

enum { THREADS = 3, CONNECTIONS = 60 };
static int listener;

static void* serve(void* unused) {
  (void)unused;
  for (;;) {
    const int fd = accept(listener, NULL, NULL);
    if (fd < 0) return NULL;
    int number;
    read_all(fd, &number, sizeof number);
    if (number >= 0) number = -1 - number;
    write_all(fd, &number, sizeof number);
    close(fd);
  }
}

int main(void) {
  struct sockaddr_in address;
  listener = tcp_listener(&address, 64);
  const pid_t child = fork();
  CHECK(child >= 0);
  for (int i = 0; i < THREADS; ++i) start(serve, NULL);
  if (child == 0) {
    // Ends the child if this process could not.
    alarm(25);
    for (;;) pause();
  }
  int answered = 0;
  for (int i = 0; i < CONNECTIONS; ++i) {
    const int fd = tcp_connected(&address);
    int number = i;
    write_all(fd, &number, sizeof number);
    read_all(fd, &number, sizeof number);
    char byte;
    answered += number == -1 - i && read(fd, &byte, 1) == 0;
    close(fd);
  }
  CHECK(kill(child, SIGKILL) == 0);
  CHECK(waitpid(child, NULL, 0) == child);
  printf("%d answered\n", answered);
  return 0;
}
