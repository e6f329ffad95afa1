// SPDX-License-Identifier: Apache-2.0
// ftruncate, posix_fallocate and fallocate change the size and leave zeroes and data in place.
#include "../io_support.h"

#include <sys/stat.h>

static long size_of(int file) {
  struct stat status;
  CHECK(fstat(file, &status) == 0);
  return (long)status.st_size;
}

static void body(void) {
  const int file = temporary_file();
  write_all(file, "0123456789", 10);
  show("shrink", ftruncate(file, 4));
  printf("size %ld\n", size_of(file));
  show("grow", ftruncate64(file, 1 << 20));
  printf("size %ld\n", size_of(file));
  char bytes[8];
  CHECK(pread(file, bytes, 8, 0) == 8);
  printf("%.4s, then zeroes %d\n", bytes, memcmp(bytes + 4, "\0\0\0\0", 4) == 0);
  printf("posix_fallocate %d\n", posix_fallocate(file, 0, 2 << 20));
  printf("size %ld\n", size_of(file));
  printf("bad length %s\n", strerrorname_np(posix_fallocate(file, 0, 0)));
  show("negative", ftruncate(file, -1));
  const int reading = open("/dev/null", O_RDONLY);
  show("not a file", ftruncate(reading, 0));
  close(reading);
  show("fallocate of nothing", fallocate(-1, 0, 0, 1));
  close(file);
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
