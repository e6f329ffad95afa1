// SPDX-License-Identifier: Apache-2.0
// pread, pwrite, preadv and pwritev use their own offset and leave the file's position alone.
#include "../io_support.h"

#include <sys/uio.h>

static void body(void) {
  const int fd = temporary_file();
  write_all(fd, "0123456789", 10);
  char a[3] = "", b[5] = "";
  struct iovec parts[] = {{a, 2}, {b, 4}};
  show("preadv", preadv(fd, parts, 2, 3));
  printf("%s %s\n", a, b);
  show("preadv64 across the end", preadv64(fd, parts, 2, 7));
  show("pwritev", pwritev(fd, parts, 1, 20));
  show("pwritev64", pwritev64(fd, parts, 2, 30));
  show("position", lseek(fd, 0, SEEK_CUR));
  show("size", lseek(fd, 0, SEEK_END));
  show("pread", pread(fd, b, 4, 8));
  show("pread64 past the end", pread64(fd, b, 4, 100));
  show("pwrite", pwrite(fd, b, 4, 0));
  show("pwrite64", pwrite64(fd, b, 4, 4));
  show("negative offset", pread(fd, b, 4, -1));
  show("negative offset in preadv", preadv(fd, parts, 2, -5));
  close(fd);
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
