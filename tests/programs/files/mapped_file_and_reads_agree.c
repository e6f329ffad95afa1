// SPDX-License-Identifier: Apache-2.0
// Writes to a shared mapping are seen by pread, and pwrite by the mapping, across msync.
#include "../io_support.h"

#include <sys/mman.h>

enum { BYTES = 1 << 16, THREADS = 8 };
static char* map;
static int file;

static void* write_own_part(void* index) {
  const size_t bytes = BYTES / THREADS;
  char* own = map + (size_t)(intptr_t)index * bytes;
  fill_stream((uint64_t)(own - map), own, bytes);
  CHECK(msync(own, bytes, MS_SYNC) == 0);
  char copy[BYTES / THREADS];
  CHECK(pread(file, copy, bytes, own - map) == (ssize_t)bytes);
  CHECK(memcmp(own, copy, bytes) == 0);
  return NULL;
}

int main(void) {
  file = temporary_file();
  CHECK(ftruncate(file, BYTES) == 0);
  map = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  CHECK(map != MAP_FAILED);
  in_threads(THREADS, write_own_part);
  static char contents[BYTES];
  read_all(file, contents, sizeof contents);
  printf("same %d\n", memcmp(contents, map, BYTES) == 0);
  CHECK(pwrite(file, "through the file", 16, 1000) == 16);
  printf("%.16s\n", map + 1000);
  show("read into the mapping", pread(file, map + 5000, 16, 1000));
  printf("%.16s\n", map + 5000);
  show("msync misaligned", msync(map + 1, 10, MS_SYNC));
  CHECK(munmap(map, BYTES) == 0);
  return 0;
}
