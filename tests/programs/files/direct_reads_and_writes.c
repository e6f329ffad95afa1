// SPDX-License-Identifier: Apache-2.0
// Aligned O_DIRECT writes and reads from threads carry the data, where the file system has them.
#include "../io_support.h"

enum { THREADS = 4, BLOCKS = 8, BLOCK_BYTES = 4096 };
static int file;

static void* write_and_read(void* index) {
  char* block;
  CHECK(posix_memalign((void**)&block, BLOCK_BYTES, 2 * BLOCK_BYTES) == 0);
  for (int i = 0; i < BLOCKS; ++i) {
    const off_t offset = ((intptr_t)index * BLOCKS + i) * BLOCK_BYTES;
    fill_stream((uint64_t)offset, block, BLOCK_BYTES);
    CHECK(pwrite(file, block, BLOCK_BYTES, offset) == BLOCK_BYTES);
    CHECK(pread(file, block + BLOCK_BYTES, BLOCK_BYTES, offset) == BLOCK_BYTES);
    CHECK(memcmp(block, block + BLOCK_BYTES, BLOCK_BYTES) == 0);
  }
  CHECK(fdatasync(file) == 0);
  free(block);
  return NULL;
}

int main(void) {
  enter_temporary_directory();
  file = open("direct", O_CREAT | O_RDWR | O_DIRECT, 0600);
  // Without direct access the same is done through the page cache, with the same result.
  if (file < 0 && errno == EINVAL) file = open("direct", O_CREAT | O_RDWR, 0600);
  CHECK(file >= 0);
  in_threads(THREADS, write_and_read);
  show("size", lseek(file, 0, SEEK_END));
  return 0;
}
