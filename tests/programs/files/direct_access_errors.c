// SPDX-License-Identifier: Apache-2.0
// Direct access that the device does not allow fails as it does natively, and moves nothing.
#include "../io_support.h"

static int file;
static char* block;

static void body(void) {
  show("aligned read", pread(file, block, 4096, 0));
  show("odd offset", pread(file, block, 512, 1));
  show("odd length", pread(file, block, 100, 0));
  show("odd address", pread(file, block + 1, 512, 0));
  show("at the end", pread(file, block, 4096, 8192));
  show("aligned write", pwrite(file, block, 4096, 4096));
  show("odd offset of a write", pwrite(file, block, 512, 1));
  show("odd length of a write", pwrite(file, block, 100, 0));
  show("odd address of a write", pwrite(file, block + 1, 512, 0));
  show("size", lseek(file, 0, SEEK_END));
}

int main(void) {
  enter_temporary_directory();
  file = open("direct", O_CREAT | O_RDWR | O_DIRECT, 0600);
  if (file < 0 && errno == EINVAL) return 77;
  CHECK(file >= 0);
  CHECK(posix_memalign((void**)&block, 4096, 8192) == 0);
  memset(block, 'd', 8192);
  CHECK(pwrite(file, block, 8192, 0) == 8192);
  in_main_and_thread(body);
  free(block);
  return 0;
}
