// SPDX-License-Identifier: Apache-2.0
// pread, pwrite and lseek on pipes and sockets fail with ESPIPE at once, waiting for nothing.
#include "../io_support.h"

static void body(void) {
  char buffer[8] = "";
  int ends[2];
  CHECK(pipe(ends) == 0);
  show("pread pipe", pread(ends[0], buffer, sizeof buffer, 0));
  show("pwrite pipe", pwrite(ends[1], buffer, sizeof buffer, 0));
  show("lseek pipe", lseek(ends[0], 0, SEEK_CUR));
  close(ends[0]);
  close(ends[1]);
  CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  show("pread socket", pread(ends[0], buffer, sizeof buffer, 0));
  show("pwrite socket", pwrite64(ends[0], buffer, sizeof buffer, 0));
  close(ends[0]);
  close(ends[1]);
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
