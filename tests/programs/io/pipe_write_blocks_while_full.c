// SPDX-License-Identifier: Apache-2.0
// A write to a full pipe waits for the reader; several megabytes pass through a page unharmed.
#include "../io_support.h"

enum { TOTAL_BYTES = 4 << 20, PIECE_BYTES = 150000 };
static int ends[2];

static void* produce(void* unused) {
  (void)unused;
  static char piece[PIECE_BYTES];
  for (int sent = 0; sent < TOTAL_BYTES;) {
    const int bytes = TOTAL_BYTES - sent < PIECE_BYTES ? TOTAL_BYTES - sent : PIECE_BYTES;
    fill_stream((uint64_t)sent, piece, (size_t)bytes);
    CHECK(write(ends[1], piece, (size_t)bytes) == bytes);
    sent += bytes;
  }
  close(ends[1]);
  return NULL;
}

static void body(void) {
  CHECK(pipe(ends) == 0);
  CHECK(fcntl(ends[1], F_SETPIPE_SZ, 4096) >= 4096);
  const pthread_t producer = start(produce, NULL);
  let_it_block();
  char got[3000], expected[3000];
  uint64_t position = 0;
  ssize_t bytes;
  while ((bytes = read(ends[0], got, sizeof got)) > 0) {
    fill_stream(position, expected, (size_t)bytes);
    CHECK(memcmp(got, expected, (size_t)bytes) == 0);
    position += (uint64_t)bytes;
  }
  show("end", bytes);
  printf("%llu bytes\n", (unsigned long long)position);
  finish(producer);
  close(ends[0]);
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
