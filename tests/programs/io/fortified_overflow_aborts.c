// SPDX-License-Identifier: Apache-2.0
// A checked call that would overflow its buffer aborts the process instead of waiting for data.
#undef _FORTIFY_SOURCE
#define _FORTIFY_SOURCE 2
#include "../io_support.h"

#include <poll.h>
#include <sys/select.h>

static volatile size_t too_many = 64;
static int ends[2];

static void* overflow_read(void* unused) {
  char buffer[16];
  CHECK(read(ends[0], buffer, too_many) < 0);
  return unused;
}

static void* overflow_recv(void* unused) {
  char buffer[16];
  CHECK(recv(ends[0], buffer, too_many, 0) < 0);
  return unused;
}

static void* overflow_poll(void* unused) {
  struct pollfd wanted[2] = {{.fd = ends[0]}};
  CHECK(poll(wanted, too_many, 0) < 0);
  return unused;
}

static void* overflow_set(void* unused) {
  fd_set set;
  volatile int descriptor = FD_SETSIZE;
  FD_ZERO(&set);
  FD_SET(descriptor, &set);
  return unused;
}

static void try(const char* what, void* (*overflow)(void*)) {
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    close(STDERR_FILENO);
    finish(start(overflow, NULL));
    _exit(0);
  }
  int status;
  CHECK(waitpid(child, &status, 0) == child);
  printf("%s: %s\n", what,
         WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT ? "aborted" : "not aborted");
}

int main(void) {
  CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  try("read", overflow_read);
  try("recv", overflow_recv);
  try("poll", overflow_poll);
  try("FD_SET", overflow_set);
  return 0;
}
