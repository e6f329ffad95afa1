// SPDX-License-Identifier: Apache-2.0
// The checked variants of read, pread, recv, recvfrom, poll and ppoll work and wait alike.
#undef _FORTIFY_SOURCE
#define _FORTIFY_SOURCE 2
#include "../io_support.h"

#include <poll.h>

static int ends[2];
// Volatile, so that the compiler cannot prove the sizes right and calls the checked functions.
static volatile size_t bytes = 8;
static volatile nfds_t count = 1;

static void* write_slowly(void* unused) {
  (void)unused;
  for (int i = 0; i < 5; ++i) {
    let_it_block();
    write_all(ends[1], "12345678", 8);
  }
  return NULL;
}

static void body(void) {
  char buffer[16];
  CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  const pthread_t writer = start(write_slowly, NULL);
  show("read", read(ends[0], buffer, bytes));
  show("recv", recv(ends[0], buffer, bytes, 0));
  show("recvfrom", recvfrom(ends[0], buffer, bytes, 0, NULL, NULL));
  struct pollfd wanted[2] = {{.fd = ends[0], .events = POLLIN}};
  show("poll", poll(wanted, count, -1));
  show("read", read(ends[0], buffer, bytes));
  show("ppoll", ppoll(wanted, count, NULL, NULL));
  show("read", read(ends[0], buffer, bytes));
  show("poll again", poll(wanted, count, 0));
  finish(writer);
  close(ends[0]);
  close(ends[1]);
  const int file = temporary_file();
  write_all(file, "file contents", 13);
  show("pread", pread(file, buffer, bytes, 4));
  show("pread64", pread64(file, buffer, bytes, 10));
  close(file);
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
