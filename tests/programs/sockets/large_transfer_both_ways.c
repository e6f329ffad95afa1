// SPDX-License-Identifier: Apache-2.0
// Two threads per side move 8 MB each way over one TCP connection with small buffers, unharmed.
#include "../io_support.h"

enum { TOTAL_BYTES = 8 << 20 };
static int ends[2];

static void* send_stream(void* end) {
  char piece[7001];
  for (long sent = 0; sent < TOTAL_BYTES;) {
    const size_t bytes =
        TOTAL_BYTES - sent < (long)sizeof piece ? (size_t)(TOTAL_BYTES - sent) : sizeof piece;
    fill_stream((uint64_t)(sent + (intptr_t)end), piece, bytes);
    write_all(ends[(intptr_t)end], piece, bytes);
    sent += (long)bytes;
  }
  CHECK(shutdown(ends[(intptr_t)end], SHUT_WR) == 0);
  return NULL;
}

static void* receive_stream(void* end) {
  char piece[5003], expected[5003];
  long total = 0;
  for (ssize_t got; (got = recv(ends[(intptr_t)end], piece, sizeof piece, 0)) > 0; total += got) {
    fill_stream((uint64_t)(total + 1 - (intptr_t)end), expected, (size_t)got);
    CHECK(memcmp(piece, expected, (size_t)got) == 0);
  }
  return (void*)total;
}

int main(void) {
  tcp_pair(ends);
  const int small = 16384;
  for (int i = 0; i < 2; ++i) {
    CHECK(setsockopt(ends[i], SOL_SOCKET, SO_SNDBUF, &small, sizeof small) == 0);
  }
  pthread_t threads[4];
  for (intptr_t i = 0; i < 2; ++i) threads[i] = start(receive_stream, (void*)i);
  for (intptr_t i = 0; i < 2; ++i) threads[2 + i] = start(send_stream, (void*)i);
  printf("%ld bytes\n", (long)finish(threads[0]));
  printf("%ld bytes\n", (long)finish(threads[1]));
  finish(threads[2]);
  finish(threads[3]);
  return 0;
}
