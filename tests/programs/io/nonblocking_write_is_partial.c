// SPDX-License-Identifier: Apache-2.0
// A non-blocking write of more than fits takes what fits; the rest is not sent behind one's back.
#include "../io_support.h"

enum { TOTAL_BYTES = 8 << 20 };
static char data[TOTAL_BYTES];

static void write_and_count(const char* kind, int reading, int writing) {
  const ssize_t written = write(writing, data, sizeof data);
  CHECK(written > 0 && written < TOTAL_BYTES);
  show("then", write(writing, data, sizeof data));
  close(writing);
  static char piece[1 << 16];
  ssize_t total = 0;
  for (ssize_t got; (got = read(reading, piece, sizeof piece)) > 0; total += got) {
    CHECK(memcmp(piece, data + total, (size_t)got) == 0);
  }
  printf("%s: all that was taken arrived %d\n", kind, total == written);
  close(reading);
}

static void body(void) {
  int ends[2];
  CHECK(pipe(ends) == 0);
  CHECK(fcntl(ends[1], F_SETFL, O_WRONLY | O_NONBLOCK) == 0);
  write_and_count("pipe", ends[0], ends[1]);
  CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  CHECK(fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0);
  write_and_count("socket", ends[0], ends[1]);
}

int main(void) {
  fill_stream(0, data, sizeof data);
  in_main_and_thread(body);
  return 0;
}
