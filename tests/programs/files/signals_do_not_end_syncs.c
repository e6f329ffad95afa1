// SPDX-License-Identifier: Apache-2.0
// Signals, with a handler that does not restart calls, never make a sync or a read of a file fail.
#include "../io_support.h"

enum { SYNCS = 30 };
static int file;
static atomic_int stop;
static pthread_t syncer;

static void ignore(int number) {
  (void)number;
}

static void* sync_often(void* unused) {
  (void)unused;
  char byte = 'x';
  for (int i = 0; i < SYNCS; ++i) {
    CHECK(pwrite(file, &byte, 1, i * 4096) == 1);
    CHECK(fdatasync(file) == 0);
    CHECK(posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED) == 0);
    CHECK(pread(file, &byte, 1, i * 4096) == 1);
    CHECK(fsync(file) == 0);
  }
  stop = 1;
  return NULL;
}

static void* send_signals(void* unused) {
  (void)unused;
  while (!stop) {
    CHECK(pthread_kill(syncer, SIGUSR1) == 0);
    CHECK(usleep(100) == 0);
  }
  return NULL;
}

int main(void) {
  file = temporary_file();
  const struct sigaction action = {.sa_handler = ignore};
  CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
  syncer = start(sync_often, NULL);
  finish(start(send_signals, NULL));
  finish(syncer);
  show("size", lseek(file, 0, SEEK_END));
  return 0;
}
