// SPDX-License-Identifier: Apache-2.0
// close with SO_LINGER gives the data time to be delivered; the reader gets all of it.
#include "../io_support.h"

enum { TOTAL_BYTES = 2 << 20 };
static int ends[2];

static void* send_and_close(void* unused) {
  (void)unused;
  static char data[TOTAL_BYTES];
  const struct linger patient = {.l_onoff = 1, .l_linger = 20};
  CHECK(setsockopt(ends[1], SOL_SOCKET, SO_LINGER, &patient, sizeof patient) == 0);
  fill_stream(0, data, sizeof data);
  write_all(ends[1], data, sizeof data);
  show("close", close(ends[1]));
  return NULL;
}

static void body(void) {
  tcp_pair(ends);
  const pthread_t sender = start(send_and_close, NULL);
  let_it_block();
  char buffer[5000], expected[5000];
  long total = 0;
  for (ssize_t got; (got = read(ends[0], buffer, sizeof buffer)) > 0; total += got) {
    fill_stream((uint64_t)total, expected, (size_t)got);
    CHECK(memcmp(buffer, expected, (size_t)got) == 0);
  }
  finish(sender);
  printf("%ld bytes\n", total);
  close(ends[0]);
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
