// SPDX-License-Identifier: Apache-2.0
// aio_fsync is done after the writes that were queued before it.
#include "../io_support.h"

#include <aio.h>

enum { WRITES = 10 };

static void body(void) {
  const int file = temporary_file();
  static char block[4096];
  struct aiocb writes[WRITES], sync = {.aio_fildes = file};
  memset(writes, 0, sizeof writes);
  for (int i = 0; i < WRITES; ++i) {
    writes[i].aio_fildes = file;
    writes[i].aio_buf = block;
    writes[i].aio_nbytes = sizeof block;
    writes[i].aio_offset = i * (long)sizeof block;
    CHECK(aio_write(&writes[i]) == 0);
  }
  show("aio_fsync", aio_fsync(O_SYNC, &sync));
  const struct aiocb* const list[] = {&sync};
  while (aio_error(&sync) == EINPROGRESS) CHECK(aio_suspend(list, 1, NULL) == 0);
  int done = 0;
  for (int i = 0; i < WRITES; ++i) done += aio_error(&writes[i]) == 0;
  printf("%d writes done\n", done);
  show("sync", aio_return(&sync));
  long total = 0;
  for (int i = 0; i < WRITES; ++i) total += aio_return(&writes[i]);
  printf("%ld bytes\n", total);
  show("bad operation", aio_fsync(12345, &sync));
  close(file);
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
