// SPDX-License-Identifier: Apache-2.0
// Offsets beyond 4 GB work in every positioned call, and the file stays sparse.
#include "../io_support.h"

#include <sys/stat.h>
#include <sys/uio.h>

static void body(void) {
  const off64_t far = INT64_C(5) << 30;
  const int file = temporary_file();
  char text[8] = "";
  struct iovec part = {text, 4};
  show("pwrite64", pwrite64(file, "far1", 4, far));
  show("pread64", pread64(file, text, 4, far));
  printf("%s\n", text);
  show("preadv64", preadv64(file, &part, 1, far));
  show("pwritev64", pwritev64(file, &part, 1, far + 4));
  show("seek", lseek64(file, 0, SEEK_END) - far);
  show("write", write(file, "tail", 4));
  struct stat status;
  CHECK(fstat(file, &status) == 0);
  printf("size %lld, sparse %d\n", (long long)status.st_size, status.st_blocks < 10000);
  show("pread before", pread(file, text, 4, far - 2));
  printf("%d %d %c%c\n", text[0], text[1], text[2], text[3]);
  close(file);
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
