// SPDX-License-Identifier: Apache-2.0
// A large blocking write that a signal interrupts returns the bytes that were taken so far.
#include "../io_support.h"

enum { TOTAL_BYTES = 8 << 20 };
static int ends[2];
static char data[TOTAL_BYTES];
static atomic_bool returned;

static void* write_all_at_once(void* result) {
  *(ssize_t*)result = write(ends[1], data, sizeof data);
  atomic_store(&returned, true);
  return NULL;
}

static void interrupt(const char* kind) {
  ssize_t written = 0;
  atomic_store(&returned, false);
  const pthread_t writer = start(write_all_at_once, &written);
  // A signal that comes before the write waits is lost on it, hence more than one.
  while (!atomic_load(&returned)) {
    sleep_ms(20);
    if (!atomic_load(&returned)) CHECK(pthread_kill(writer, SIGUSR1) == 0);
  }
  finish(writer);
  CHECK(written > 0 && written < TOTAL_BYTES);
  close(ends[1]);
  static char piece[1 << 16];
  ssize_t total = 0;
  for (ssize_t got; (got = read(ends[0], piece, sizeof piece)) > 0; total += got) {
    CHECK(memcmp(piece, data + total, (size_t)got) == 0);
  }
  printf("%s: all that was taken arrived %d\n", kind, total == written);
  close(ends[0]);
}

int main(void) {
  fill_stream(0, data, sizeof data);
  handle_signal(SIGUSR1, ignore_signal, 0);
  CHECK(pipe(ends) == 0);
  interrupt("pipe");
  CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  interrupt("socket");
  return 0;
}
