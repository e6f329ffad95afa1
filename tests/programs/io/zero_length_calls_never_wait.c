// SPDX-License-Identifier: Apache-2.0
// Reads and writes of zero bytes on empty or full pipes return 0 at once.
#include "../io_support.h"

#include <sys/uio.h>

static void body(void) {
  char buffer[4096] = {0};
  int ends[2];
  CHECK(pipe2(ends, O_NONBLOCK) == 0);
  show("read from an empty pipe", read(ends[0], buffer, 0));
  while (write(ends[1], buffer, sizeof buffer) > 0) continue;
  CHECK(fcntl(ends[0], F_SETFL, 0) == 0 && fcntl(ends[1], F_SETFL, 0) == 0);
  show("write to a full pipe", write(ends[1], buffer, 0));
  struct iovec empty[2] = {{buffer, 0}, {buffer, 0}};
  show("writev", writev(ends[1], empty, 2));
  close(ends[0]);
  show("write without reader", write(ends[1], buffer, 0));
  close(ends[1]);
  CHECK(pipe(ends) == 0);
  show("blocking read of an empty pipe", read(ends[0], buffer, 0));
  show("readv", readv(ends[0], empty, 2));
  show("splice", splice(ends[0], NULL, ends[1], NULL, 0, 0));
  close(ends[0]);
  close(ends[1]);
  CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  show("send", send(ends[0], buffer, 0, 0));
  show("write to a socket", write(ends[0], buffer, 0));
  close(ends[0]);
  close(ends[1]);
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
