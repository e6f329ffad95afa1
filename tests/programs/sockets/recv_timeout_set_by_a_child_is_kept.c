// SPDX-License-Identifier: Apache-2.0
// A receive timeout belongs to the socket: set or cleared by a child process, it holds here too.
#include "../io_support.h"

#include <sys/time.h>

static int ends[2];

static void* write_later(void* unused) {
  (void)unused;
  sleep_ms(60);
  CHECK(write(ends[1], "x", 1) == 1);
  return NULL;
}

static void set_in_child(int milliseconds) {
  const struct timeval timeout = {.tv_usec = milliseconds * 1000};
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    _exit(setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout) == 0 ? 0 : 1);
  }
  int status;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
}

static void body(void) {
  char byte = 'x';
  CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  CHECK(write(ends[1], &byte, 1) == 1);
  show("without", recv(ends[0], &byte, 1, 0));
  set_in_child(20);
  show("with", recv(ends[0], &byte, 1, 0));
  set_in_child(0);
  const pthread_t writer = start(write_later, NULL);
  show("without again", recv(ends[0], &byte, 1, 0));
  finish(writer);
  close(ends[0]);
  close(ends[1]);
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
