// SPDX-License-Identifier: Apache-2.0
// fsync, fdatasync, sync_file_range and syncfs succeed on files, from many threads at once.
#include "../io_support.h"

#include <sys/mman.h>

static int file;

static void* write_and_sync(void* index) {
  for (int i = 0; i < 3; ++i) {
    CHECK(pwrite(file, "data", 4, 4096 * (intptr_t)index) == 4);
    CHECK(fdatasync(file) == 0);
    CHECK(fsync(file) == 0);
  }
  return NULL;
}

static void body(void) {
  int ends[2];
  CHECK(pipe(ends) == 0);
  show("fsync", fsync(file));
  show("fdatasync", fdatasync(file));
  show("sync_file_range",
       sync_file_range(file, 0, 8192, SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER));
  show("fsync of a pipe", fsync(ends[0]));
  show("fdatasync of a pipe", fdatasync(ends[0]));
  show("range of a pipe", sync_file_range(ends[0], 0, 1, 0));
  show("bad flags", sync_file_range(file, 0, 1, 0x1000));
  show("fsync of nothing", fsync(-1));
  close(ends[0]);
  close(ends[1]);
}

int main(void) {
  file = temporary_file();
  in_threads(8, write_and_sync);
  in_main_and_thread(body);
  return 0;
}
