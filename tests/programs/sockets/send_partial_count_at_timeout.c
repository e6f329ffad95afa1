// SPDX-License-Identifier: Apache-2.0
// A large send that times out half-way returns the bytes that were taken, and no more arrive.
#include "../io_support.h"

#include <sys/time.h>

static void body(void) {
  static char block[8 << 20];
  const struct timeval timeout = {.tv_usec = 50000};
  int ends[2];
  CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  CHECK(setsockopt(ends[0], SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout) == 0);
  fill_stream(0, block, sizeof block);
  const ssize_t sent = send(ends[0], block, sizeof block, 0);
  CHECK(sent > 0 && sent < (ssize_t)sizeof block);
  close(ends[0]);
  char buffer[4096], expected[4096];
  ssize_t total = 0;
  for (ssize_t got; (got = read(ends[1], buffer, sizeof buffer)) > 0; total += got) {
    fill_stream((uint64_t)total, expected, (size_t)got);
    CHECK(memcmp(buffer, expected, (size_t)got) == 0);
  }
  printf("arrived what was sent: %d\n", total == sent);
  close(ends[1]);
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
